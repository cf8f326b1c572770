import type { FastifyInstance } from 'fastify'

/** Closes connections that become idle while the server closes: Fastify closes only those that are idle when it begins. */
export function closeIdleConnections(app: FastifyInstance) {
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
    app.server.once('close', () => clearInterval(sweep))
  })
}

/**
 * Tells a browser that came by https to use nothing else for a year. A trusted proxy says whether it did. Subdomains are
 * left out, because they may be somebody else's.
 */
export function stayOnHttps(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply) => {
    if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
  })
}

export function logAnswers(app: FastifyInstance) {
  app.addHook('onResponse', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/v1/')) return
    request.log.info({
      call: `${request.method} ${request.routeOptions.url}`,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      account: request.caller?.account.id,
    })
  })
}
