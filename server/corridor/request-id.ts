import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { among } from '../access/network.ts'

/**
 * The header in which a trusted proxy gives a request its id. Every answer has it, but for the console's files that
 * never change.
 */
export const ID_HEADER = 'x-request-id'

export const ID_FIELD = 'request_id'

/** A trusted proxy gives a request its id, so that both logs name it alike; anybody else could imitate somebody's. */
export function idsOfRequests(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = among(trustedProxies)
  return ({ headers, socket }) => {
    const given = headers[ID_HEADER]
    const isGiven = typeof given === 'string' && IS_ID.test(given) && isTrusted(socket.remoteAddress ?? '')
    return isGiven ? given : newId()
  }
}

/** Short enough to be told by telephone: the random end of a UUID, of which Node keeps some ready. */
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
