import * as z from 'zod/mini'
import { call, Done } from '../call.ts'
import { DESK, type Role } from '../roles.ts'
import { secret } from '../secret.ts'
import { clientSelection } from '../shapes.ts'
import { names } from './names.ts'

/**
 * Fetches a file at `GET /v1/exports/{ticket}`: once, within 60 seconds, and while the session that asked for it lasts.
 * The call takes no Idempotency-Key, so that no ticket is stored in clear: a repeat returns a new one.
 */
export const Ticket = z.extend(Done, { ticket: z.string() })

export function exportClients<const Sorts extends readonly [string, ...string[]]>(role: Role, sorts: Sorts) {
  return call({
    method: 'POST',
    path: `${DESK[role]}/clients/export`,
    roles: [role],
    summary:
      'A ticket for the CSV or PDF of the filtered clients, or of those that are named and still there',
    input: z.strictObject({
      format: z.enum(['csv', 'pdf']),
      ...clientSelection(sorts),
      /** Leaves out all others. */
      clients: z.optional(names()),
    }),
    /** `missing`: the names in `clients` that the caller no longer has. */
    output: z.extend(Ticket, { missing: z.array(z.string()) }),
    takesKey: false,
    needsSpace: 'little',
    body: 'long',
  })
}

export const files = {
  download: call({
    method: 'GET',
    path: '/exports/{ticket}',
    roles: 'anyone',
    summary: 'The file that a ticket stands for, streamed; a ticket works once',
    input: z.strictObject({ ticket: secret(z.string().check(z.maxLength(100))) }),
    output: z.unknown(),
    returns: 'file',
  }),
}
