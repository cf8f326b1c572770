import type { IncomingMessage } from 'node:http'
import { all as addressesOf } from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import { trusting } from '../access/network.ts'
import { countAnswer, logAnswer } from './answer-log.ts'
import { ID_FIELD, ID_HEADER, idsOfRequests } from './request-id.ts'

/**
 * An answer that needs nothing but the request's headers and memory: the headers as a name, its value, the next name,
 * …, and ASCII text.
 */
type EarlyAnswer = { call: string; headers: readonly string[]; body: string }

/**
 * Gives the answers that `find` returns before Fastify sees the request: nearly all polls of boxes have the same one,
 * and Fastify's part of it costs more than ours. Fastify gets all other requests, and each one once the server is
 * closing.
 */
export function answerEarly(
  app: FastifyInstance,
  trustedProxies: readonly string[],
  find: (request: IncomingMessage, ip: string) => EarlyAnswer | null,
): void {
  const idOf = idsOfRequests(trustedProxies)
  const ipOf = ipsOfRequests(trustedProxies)
  const isLogged = app.log.level === 'debug'
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  const [passOn] = app.server.listeners('request')
  if (!passOn) throw new Error('Fastify does not listen to its server')
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    const began = performance.now()
    const answer = isClosing ? null : findSafely(request)
    if (answer === null) return passOn.call(app.server, request, response)
    const { call, headers, body } = answer
    const id = idOf(request)
    response.writeHead(200, [...headers, 'content-length', String(body.length), ID_HEADER, id])
    // Node sends such a text together with the headers, and without looking at each character.
    response.end(body, 'latin1')
    const answered = { gate: 'boxes', call, status: 200, ms: performance.now() - began } as const
    countAnswer(answered)
    if (isLogged) logAnswer(app.log, { ...answered, [ID_FIELD]: id })
  })

  /**
   * Leaves to Fastify a request that cannot be read, since an error here would end the process, and one whose sender
   * has reset the connection, which has no address any more.
   */
  function findSafely(request: IncomingMessage): EarlyAnswer | null {
    if (request.socket.remoteAddress === undefined) return null
    try {
      return find(request, ipOf(request))
    } catch (err) {
      app.log.error({ err }, 'a request could not be answered before Fastify')
      return null
    }
  }
}

/** Returns a function that finds the address from which a request comes, as Fastify does. */
function ipsOfRequests(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = trusting(trustedProxies)
  return (request) => addressesOf(request, isTrusted).at(-1) ?? ''
}
