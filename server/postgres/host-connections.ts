import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Sql } from 'postgres'

export type Host = { host: string; port: number }

/** How long a host may take to reply, in milliseconds. */
const TIMEOUT_MS = 2_000
/** PostgreSQL's SSLRequest: every server replies to it with one byte, before authentication. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

interface Sockets {
  /** With the host that each leads to; null where that is this machine, by a unix socket. */
  open: Map<Socket, Host | null>
  listening: Promise<void> | null
}

/** The connections of each pool that go over the network or may be interrupted, by the pool's options. */
const socketsOf = new WeakMap<object, Sockets>()

/** Connects a pool to a host. */
export function openSocket(options: object, host: Host): Socket {
  // The driver reads the name that the certificate must have from the socket.
  return Object.assign(keep(options, connect({ ...host, noDelay: true }), host), host)
}

/** Connects a pool to the unix socket of its options, so that `closeSockets` closes that as well. */
export function openLocalSocket(options: { path: string }): Socket {
  return keep(options, connect(options.path), null)
}

function keep(options: object, socket: Socket, host: Host | null): Socket {
  const sockets = socketsOf.get(options) ?? { open: new Map(), listening: null }
  socketsOf.set(options, sockets)
  // Without a listener, because the driver removes all listeners when it starts TLS.
  for (const socket of sockets.open.keys()) if (socket.destroyed) sockets.open.delete(socket)
  sockets.open.set(socket, host)
  return socket
}

/** Returns a connection that fails at once. To throw instead would leave the driver waiting for ever. */
export function failingSocket(reason: Error): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(reason) })
}

/** Closes every connection of a pool that is kept here, so that new ones go to the current primary. */
export function closeSockets(sql: Sql, reason: string): void {
  const open = socketsOf.get(sql.options)?.open ?? new Map()
  for (const socket of open.keys()) socket.destroy(Object.assign(new Error(reason), { code: 'ECONNRESET' }))
  open.clear()
}

/**
 * Runs work that waits for the database, and closes connections to a host that no longer replies, so that the work
 * fails. A machine that lost its power closes no connection, and the system would wait a quarter of an hour.
 */
export async function closeWhenSilent<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const listening = setInterval(() => void closeSilent(sql), TIMEOUT_MS)
  try {
    return await work()
  } finally {
    clearInterval(listening)
  }
}

function closeSilent(sql: Sql): Promise<void> | undefined {
  const sockets = socketsOf.get(sql.options)
  if (!sockets) return
  sockets.listening ??= listen(sockets.open).finally(() => {
    sockets.listening = null
  })
  return sockets.listening
}

async function listen(open: Sockets['open']): Promise<void> {
  for (const host of new Set(open.values())) {
    if (host === null || (await answers(host))) continue
    const silence = Object.assign(new Error(`${host.host}:${host.port} has fallen silent`), {
      code: 'ETIMEDOUT',
    })
    for (const [socket, to] of open) {
      if (to !== host) continue
      open.delete(socket)
      socket.destroy(silence)
    }
  }
}

function answers(host: Host): Promise<boolean> {
  return new Promise((resolve) => {
    const tell = (answer: boolean) => {
      clearTimeout(timeout)
      socket.destroy()
      resolve(answer)
    }
    const timeout = setTimeout(() => tell(false), TIMEOUT_MS)
    const socket = connect(host, () => socket.write(SSL_REQUEST))
    socket.on('data', () => tell(true)).on('error', () => tell(false))
  })
}
