import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the call, from the contract or the boxes' list; empty for anything else. */
    call: string
  }
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

/**
 * Logs each answer. Polls of boxes and the console's files are many and say little, so that only the level `debug` has
 * them. Health checks are in no log: their routes have none.
 */
export function logAnswers(app: FastifyInstance) {
  app.decorateRequest('call', '')
  app.addHook('onResponse', async (request, reply) => {
    const { url = '' } = request.routeOptions
    request.log[url.startsWith('/v1/') ? 'info' : 'debug'](
      {
        call: request.call || `${request.method} ${url}`,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        account: request.caller?.account.id,
      },
      'answered',
    )
  })
}
