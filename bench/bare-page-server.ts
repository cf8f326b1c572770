import { request } from 'node:http'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'

// Serves a bare page as Boxtree serves its console, compressed at build time, and passes calls on to Boxtree. It is a
// process of its own, as Boxtree is.

/** The message that starts it. `Serving` is its answer, with the address. */
export interface BarePage {
  folder: string
  console: string
}
export interface Serving {
  url: string
}

process.once('message', async ({ folder, console }: BarePage) => {
  const app = Fastify({ forceCloseConnections: true })
  await app.register(fastifyStatic, {
    root: folder,
    preCompressed: true,
    cacheControl: false,
    setHeaders(reply, path) {
      const forever = path.includes('/assets/')
      reply.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  app.get('/v1/*', ({ url, headers }, reply) => {
    reply.hijack()
    request(console + url, { headers }, (answer) => {
      reply.raw.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(reply.raw)
    }).end()
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ url } satisfies Serving)
})
process.once('disconnect', () => process.exit())
