import type { FastifyInstance } from 'fastify'
import { compressed, type Encoding, encodingFor } from '../../compression.ts'
import { documentOf } from './document.ts'
import { referencePage } from './page.ts'

/**
 * Anybody may fetch the reference, so it is made and compressed once for each encoding, to cost nothing in a flood. It
 * is made for the first who asks, because most servers are never asked.
 */
export function serveReference(api: FastifyInstance): void {
  serve('/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(documentOf()))
  serve('/docs', 'text/html; charset=utf-8', () => referencePage(documentOf()))

  function serve(path: string, type: string, textOf: () => string): void {
    const forms = new Map<Encoding | undefined, Buffer>()
    const formOf = (encoding: Encoding | undefined) => {
      const form = forms.get(encoding) ?? (encoding ? compressed(textOf(), encoding) : Buffer.from(textOf()))
      forms.set(encoding, form)
      return form
    }
    api.get(path, async (request, reply) => {
      const encoding = encodingFor(request)
      reply.type(type).header('vary', 'accept-encoding')
      if (encoding) reply.header('content-encoding', encoding)
      return reply.send(formOf(encoding))
    })
  }
}
