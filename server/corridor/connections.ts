import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { MINUTE_MS } from '../../contract/time.ts'
import { among, networkOf } from '../access/network.ts'
import { Refusal } from '../refusal.ts'

/** A request, headers and body together, must arrive within this time, or its connection is closed. */
const COMING_MS = 20_000
const LOOKING_MS = 1_000
/** The same for a playlist, once its admin's session was found: the largest comes in this time at 0.3 Mbit/s. */
const UPLOAD_MS = 10 * MINUTE_MS
const MOST_CONNECTIONS = 2_000
/** From so many on, each new connection closes those that have been idle for a while, which would keep others out. */
const MANY_CONNECTIONS = 1_600
const IDLE_MS = 1_000
/** How often the connections are looked at for that at most, in milliseconds. */
const LOOK_EVERY_MS = 100
/** How long a reader may take nothing of an answer. That of an exported file is given up sooner, by its pace. */
const STILL_MS = MINUTE_MS
/** The same where there are many connections. */
const STILL_AMONG_MANY_MS = 10_000
/** The most connections of one address, and the most requests under way of one that a trusted proxy names. */
const MOST_OF_ADDRESS = 400
/** The most requests of one connection that wait for their answers. Browsers and proxies send one at a time. */
const MOST_OF_CONNECTION = 32

/** For how long a connection of a box may be idle: between its polls it would keep others out. */
export const BOX_IDLE_MS = 5_000

/** Node applies the larger of the first two to the whole request, and the first is 60 s by default: so both are set. */
export const REQUEST_TIMES = {
  requestTimeout: COMING_MS,
  http: { headersTimeout: COMING_MS, requestTimeout: COMING_MS, connectionsCheckingInterval: LOOKING_MS },
}

/** The connections on which an upload is coming. */
const uploading = new WeakSet<Socket>()

/**
 * Gives a request the time of an upload. Only once it is known who sends it: a stranger could hold connections with it.
 */
export function allowUpload({ raw, socket }: FastifyRequest): void {
  uploading.add(socket)
  const limit = setTimeout(() => socket.destroy(), UPLOAD_MS)
  raw.once('close', () => {
    uploading.delete(socket)
    clearTimeout(limit)
  })
}

/** Whether an upload is coming, which Node must not end: it has one time limit for all requests. */
export function isUploading(socket: Socket): boolean {
  return uploading.has(socket)
}

type Known = { trustedProxies: readonly string[]; streamServers: readonly string[] }

/**
 * Limits the number of connections, in all and from one network (see `networkOf`), and the requests of each that wait.
 * A trusted proxy and a stream server, which asks for all its viewers, may have any number of connections; the requests
 * under way of each address that a proxy names are limited instead.
 */
export function limitConnections(
  app: FastifyInstance,
  { trustedProxies, streamServers }: Known,
  log: FastifyBaseLogger,
): void {
  const isTrusted = among(trustedProxies)
  const isKnown = among([...trustedProxies, ...streamServers])
  /** The connections that may be closed while idle: a proxy or a stream server may just be sending its next request. */
  const strangers = new Set<Socket>()
  let open = 0
  const connections = new Tally(MOST_OF_ADDRESS)
  const requests = new Tally(MOST_OF_ADDRESS)
  const turnedAway = tellSeldom()
  let madeRoom = Number.NEGATIVE_INFINITY
  // Whoever connects again and again must not have all of them looked at each time.
  const makeRoom = () => {
    if (performance.now() - madeRoom < LOOK_EVERY_MS) return
    madeRoom = performance.now()
    closeIdle(strangers, IDLE_MS)
    hurry(strangers)
  }

  app.server.maxConnections = MOST_CONNECTIONS
  app.server.on('drop', (data) => {
    makeRoom()
    turnedAway(log, 'the server has reached its limit of connections', data?.remoteAddress)
  })
  app.server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    if (open > MANY_CONNECTIONS) makeRoom()
    const address = socket.remoteAddress ?? ''
    if (isKnown(address)) return
    if (!connections.enter(address)) {
      turnedAway(log, 'an address has reached its limit of connections', address)
      socket.destroy()
      return
    }
    strangers.add(socket)
    socket.once('close', () => {
      strangers.delete(socket)
      connections.leave(address)
    })
  })
  app.server.setTimeout(STILL_MS, closeStill)
  limitPipelining(app, (address) =>
    turnedAway(log, 'a connection has reached its limit of requests under way', address),
  )
  if (trustedProxies.length === 0) return
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    if (!isTrusted(request.socket.remoteAddress ?? '')) return
    const address = request.ip
    if (!requests.enter(address)) {
      turnedAway(request.log, 'an address has reached its limit of requests under way', address)
      throw new Refusal('unavailable', 'Too many requests at once come from your address.', {
        retryAfter: 5,
        unchanged: true,
      })
    }
    reply.raw.once('close', () => requests.leave(address))
  })
}

/** How many requests of a connection are under way, and when the last answer was sent whole. */
const usedBy = new WeakMap<Socket, { underWay: number; since: number }>()

// These also tell of the polls that are answered before Fastify sees them.
subscribe('http.server.request.start', (message) => {
  const { socket } = message as { socket: Socket }
  const use = usedBy.get(socket)
  if (use) use.underWay += 1
  else usedBy.set(socket, { underWay: 1, since: 0 })
})
subscribe('http.server.response.finish', (message) => {
  const use = usedBy.get((message as { socket: Socket }).socket)
  if (use) Object.assign(use, { underWay: use.underWay - 1, since: performance.now() })
})

/** Gives readers who take nothing less time from now on, until their answer is sent. */
function hurry(sockets: Iterable<Socket>): void {
  for (const socket of sockets) {
    const isHurried = socket.timeout === STILL_AMONG_MANY_MS
    if (socket.writableLength > 0 && !isHurried) socket.setTimeout(STILL_AMONG_MANY_MS)
  }
}

/**
 * Closes connections that have been idle for some milliseconds. Node itself takes a connection for idle to which it
 * still has to send the rest of an answer, and would cut that off.
 */
function closeIdle(sockets: Iterable<Socket>, idleMs = 0): void {
  const since = performance.now() - idleMs
  for (const socket of sockets) {
    const use = usedBy.get(socket)
    if (use?.underWay === 0 && use.since <= since) socket.destroy()
  }
}

/**
 * Closes a connection on which nothing has moved for a while: a stranger who reads nothing would hold it for ever. One
 * whose answer is still being made waits for us and not for its reader. Node would close that, too.
 */
function closeStill(socket: Socket): void {
  const { underWay = 0 } = usedBy.get(socket) ?? {}
  if (underWay === 0 || socket.writableLength > 0) socket.destroy()
}

/** Closes a connection on which too many requests wait for their answers. */
function limitPipelining(app: FastifyInstance, turnedAway: (address: string | undefined) => void): void {
  app.addHook('onRequest', (request, reply, next) => {
    const { socket } = request
    const { underWay = 0 } = usedBy.get(socket) ?? {}
    if (underWay > MOST_OF_CONNECTION && !socket.destroyed) {
      turnedAway(socket.remoteAddress)
      socket.destroy()
    }
    if (socket.destroyed) {
      // Node goes on with those that came together with this one.
      reply.hijack()
      return
    }
    next()
  })
}

const SWEEP_MS = 50

/**
 * Fastify closes only the connections that are idle when the server begins to close, and Node takes a connection for
 * busy that has sent nothing yet, such as those that browsers open ahead.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.server.closeIdleConnections = () => closeIdle(open)
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => {
      app.server.closeIdleConnections()
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    }, SWEEP_MS)
    app.server.once('close', () => clearInterval(sweep))
  })
}

class Tally {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Returns false, and counts nothing, where the limit is reached. */
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

const TELLING_MS = 60_000

/** Returns a function that logs a flood at most once a minute, with the number of refusals since the last line. */
function tellSeldom(): (log: FastifyBaseLogger, reason: string, address?: string) => void {
  let told = Number.NEGATIVE_INFINITY
  let since = 0
  return (log, reason, address) => {
    since += 1
    if (performance.now() - told < TELLING_MS) return
    told = performance.now()
    log.warn({ turned_away: since, address }, reason)
    since = 0
  }
}
