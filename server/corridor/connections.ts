import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { among, networkOf } from '../network.ts'
import { Refusal } from '../refusal.ts'

/** A request has come whole within this time, headers and body together, or its connection is cut. */
const COMING_MS = 20_000
/** How often Node looks for those that have not: each is cut at most so much later. */
const LOOKING_MS = 1_000
const MOST_CONNECTIONS = 2_000
/** Of one address, or requests under way of one that a trusted proxy names: an office behind one router has these. */
const MOST_OF_ADDRESS = 400
/** How often the log tells of connections that were turned away, at most. */
const TELLING_MS = 60_000

/**
 * What Fastify hands to Node. Node reads the larger of `headersTimeout` and `requestTimeout` as the limit of the whole
 * request, and Fastify sets the second only after Node has taken 60 s for the first: so both are said here.
 */
export const REQUEST_TIMES = {
  requestTimeout: COMING_MS,
  http: { headersTimeout: COMING_MS, requestTimeout: COMING_MS, connectionsCheckingInterval: LOOKING_MS },
}

/**
 * Bounds how many connections there are, in all and of one address: an IPv4 as it is, an IPv6 by the /64 that one
 * customer of a provider has. A trusted proxy has as many as it needs; whom it names has so many requests under way.
 */
export function limitConnections(
  app: FastifyInstance,
  trustedProxies: readonly string[],
  log: FastifyBaseLogger,
): void {
  const isTrusted = among(trustedProxies)
  const connections = new Tally(MOST_OF_ADDRESS)
  const requests = new Tally(MOST_OF_ADDRESS)
  const turnedAway = tellSeldom(log)

  app.server.maxConnections = MOST_CONNECTIONS
  app.server.on('drop', (data) =>
    turnedAway('the server has all the connections it takes', data?.remoteAddress),
  )
  app.server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (isTrusted(address)) return
    if (!connections.enter(address)) {
      turnedAway('an address has all the connections it may have', address)
      socket.destroy()
      return
    }
    socket.once('close', () => connections.leave(address))
  })
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    if (!isTrusted(request.socket.remoteAddress ?? '')) return
    const address = request.ip
    if (!requests.enter(address)) {
      turnedAway('an address has all the requests under way that it may have', address)
      throw new Refusal('unavailable', 'Too many requests at once come from your address.', { retryAfter: 5 })
    }
    reply.raw.once('close', () => requests.leave(address))
  })
}

/** How many of something each address has, up to a limit. */
class Tally {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts one more; false, and not counted, where the address has all it may have. */
  enter(address: string): boolean {
    const network = networkOf(address)
    const count = this.#counts.get(network) ?? 0
    if (count >= this.#most) return false
    this.#counts.set(network, count + 1)
    return true
  }

  leave(address: string): void {
    const network = networkOf(address)
    const left = (this.#counts.get(network) ?? 0) - 1
    if (left > 0) this.#counts.set(network, left)
    else this.#counts.delete(network)
  }
}

/** A flood is told of once a minute, with how many there were since. */
function tellSeldom(log: FastifyBaseLogger): (reason: string, address?: string) => void {
  let told = Number.NEGATIVE_INFINITY
  let since = 0
  return (reason, address) => {
    since += 1
    if (performance.now() - told < TELLING_MS) return
    told = performance.now()
    log.warn({ turned_away: since, address }, reason)
    since = 0
  }
}
