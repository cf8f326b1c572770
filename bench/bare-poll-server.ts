import Fastify from 'fastify'

// A Fastify that answers every poll with the same bytes and does nothing else, in a process of its own.

/** The message that starts it. `Listening` is its answer, with the address. */
export interface Bytes {
  headers: Record<string, string>
  body: string
}
export interface Listening {
  url: string
}

process.once('message', async ({ headers, body }: Bytes) => {
  const app = Fastify()
  app.get('/portal.php', (_, reply) => reply.headers(headers).send(body))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ url } satisfies Listening)
})
