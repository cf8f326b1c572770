import type { FastifyInstance } from 'fastify'

/** Tells a browser that came by https to use nothing else for a year. Subdomains may be somebody else's. */
export function stayOnHttps(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
    done()
  })
}
