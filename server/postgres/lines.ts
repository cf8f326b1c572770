import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Sql } from 'postgres'

export type Host = { host: string; port: number }

/** How long a host may take to reply, in milliseconds. */
const PATIENCE_MS = 2_000
/** PostgreSQL's SSLRequest: every server replies to it with one byte, before authentication. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

interface Lines {
  open: Map<Socket, Host>
  listening: Promise<void> | null
}

/** The connections of each pool that go over the network, by the pool's options. */
const linesOf = new WeakMap<object, Lines>()

/** Connects a pool to a host. */
export function openLine(options: object, host: Host): Socket {
  const lines = linesOf.get(options) ?? { open: new Map(), listening: null }
  linesOf.set(options, lines)
  // Without a listener, because the driver removes all listeners when it starts TLS.
  for (const socket of lines.open.keys()) if (socket.destroyed) lines.open.delete(socket)
  const socket = connect({ ...host, noDelay: true })
  lines.open.set(socket, host)
  // The driver reads the name that the certificate must have from the socket.
  return Object.assign(socket, host)
}

/** Returns a connection that fails at once. A search that threw instead would leave the driver waiting for ever. */
export function refuseLine(reason: string): Duplex {
  const refusal = Object.assign(new Error(reason), { code: 'ECONNREFUSED' })
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(refusal) })
}

/** Closes every connection of a pool over the network, so that its next ones are made to the primary of that time. */
export function closeLines(sql: Sql, reason: string): void {
  const open = linesOf.get(sql.options)?.open ?? new Map()
  for (const socket of open.keys()) socket.destroy(Object.assign(new Error(reason), { code: 'ECONNRESET' }))
  open.clear()
}

/**
 * Runs work that waits for the database, and closes connections to a host that no longer replies, so that the work
 * fails. A machine that lost its power closes no connection, and the system would wait a quarter of an hour.
 */
export async function whileAnswering<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const listening = setInterval(() => void endSilent(sql), PATIENCE_MS)
  try {
    return await work()
  } finally {
    clearInterval(listening)
  }
}

function endSilent(sql: Sql): Promise<void> | undefined {
  const lines = linesOf.get(sql.options)
  if (!lines) return
  lines.listening ??= listen(lines.open).finally(() => {
    lines.listening = null
  })
  return lines.listening
}

async function listen(open: Lines['open']): Promise<void> {
  for (const host of new Set(open.values())) {
    if (await answers(host)) continue
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
      clearTimeout(patience)
      socket.destroy()
      resolve(answer)
    }
    const patience = setTimeout(() => tell(false), PATIENCE_MS)
    const socket = connect(host, () => socket.write(SSL_REQUEST))
    socket.on('data', () => tell(true)).on('error', () => tell(false))
  })
}
