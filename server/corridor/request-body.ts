import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'

/** Reads bodies as JSON in UTF-8. Fastify would replace other bytes, and a password would be kept that nobody sent. */
export function readBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (isUtf8(bytes)) parse(request, bytes.toString(), done)
    else done(new Refusal('invalid_input', 'The body must be in UTF-8.'))
  })
  app.addHook('onRequest', ({ headers }, _reply, next) => {
    // Many programs name a type even where they send nothing, which would be refused as no JSON.
    if (isEmpty(headers)) delete headers['content-type']
    next()
  })
}

function isEmpty(headers: FastifyRequest['headers']): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}
