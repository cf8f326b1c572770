import type { FastifyInstance } from 'fastify'
import { documentOf } from './document.ts'
import { pageOf } from './page.ts'

/** Opens the reference, for machines at `openapi.json` and for people at `docs`. Nobody has to sign in to read it. */
export function openPage(api: FastifyInstance): void {
  const document = documentOf()
  const page = pageOf(document)
  api.get('/openapi.json', async () => document)
  api.get('/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
}
