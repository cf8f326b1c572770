import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { among } from '../network.ts'

/** The header in which a trusted proxy gives a request its id, and in which every answer has it. */
export const ID_HEADER = 'x-request-id'

/** The name of the id in the log and in the body of a refusal. */
export const ID_FIELD = 'request_id'

/**
 * Returns what gives each request its id: the one that a trusted proxy has given it, so that both logs name it alike,
 * or a new one. What anybody else claims is not believed, because it could imitate somebody else's request.
 */
export function idsOfRequests(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = among(trustedProxies)
  return ({ headers, socket }) => {
    const given = headers[ID_HEADER]
    const isGiven = typeof given === 'string' && IS_ID.test(given) && isTrusted(socket.remoteAddress ?? '')
    return isGiven ? given : newId()
  }
}

/**
 * Returns an id that is short enough to be told by telephone: the random end of a UUID, of which Node keeps some ready.
 */
export function newId(): string {
  return randomUUID().slice(-12)
}

export function sendIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(ID_HEADER, request.id)
    done()
  })
}

const IS_ID = /^[A-Za-z0-9._-]{1,64}$/
