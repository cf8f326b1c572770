import * as z from 'zod/mini'
import { call, Nothing } from '../call.ts'
import { Database, findings, Job, Server } from '../system.ts'

export const system = {
  state: call({
    method: 'GET',
    path: '/admin/system',
    roles: ['admin'],
    summary: 'The servers of this database, its jobs and backups, and the problems',
    input: Nothing,
    output: z.object({
      /** The first digits of the fingerprint of the schema. */
      schema: z.string(),
      database: z.extend(Database, { size: z.int() }),
      /** The one that answers is the first. */
      servers: z.array(Server),
      jobs: z.array(Job),
      findings,
    }),
  }),
  findings: call({
    method: 'GET',
    path: '/admin/findings',
    roles: ['admin'],
    summary: 'The problems, the most important first',
    input: Nothing,
    output: z.object({ findings }),
  }),
}
