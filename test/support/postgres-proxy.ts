import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Connect } from '../../server/postgres/pool.ts'
import { listen } from './port.ts'

/**
 * When the connection is cut: before the database receives the batch, after it has received it, or after it has
 * answered. 'in silence' delivers the batch and then nothing more on any connection, not even its end.
 */
export type Moment = 'before' | 'during' | 'after' | 'in silence'

/** A TCP proxy before PostgreSQL that cuts connections at a chosen statement. */
export interface PostgresProxy {
  port: number
  /** What is connected to, by way of the proxy. */
  url: string
  /** Returns the statement of each batch since the last call, over all connections. */
  takeSeen(): string[]
  /** Cuts the connection at a batch, counted over all connections; 0 is the next one. */
  cutAt(batch: number, moment: Moment): void
  /** Keeps back the next batch whose statement begins so. Resolves once it has come, to what sends it on. */
  keepBack(beginning: string): Promise<() => void>
  /** Ends the silence and forgets a cut that has not happened yet. */
  mend(): void
  /** Closes the open connections, so that the next ones are new. */
  renew(): void
  close(): Promise<void>
}

type Decision = Moment | null

/**
 * Opens the proxy on a free TCP port before a PostgreSQL. A batch is a group of protocol messages that PostgreSQL
 * answers together, such as those of one statement or of a COMMIT.
 */
export async function openPostgresProxy(to: Connect): Promise<PostgresProxy> {
  const url = new URL(typeof to === 'string' ? to : `postgres://${to.user}@127.0.0.1/${to.database}`)
  const there = { host: url.hostname, port: Number(url.port) }
  const reach = () => (typeof to === 'string' ? connect(there.port, there.host) : connect(to.socket))
  let armed: { left: number; moment: Moment } | null = null
  let awaited: { beginning: string; came: (sendOn: () => void) => void } | null = null
  let seen: string[] = []
  let silent = false
  const lines = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    keep(client)
    if (silent) return
    const upstream = keep(reach())
    join(client, upstream, { decide, isSilent: () => silent, keptBack })
  })
  const port = await listen(server)
  url.host = `127.0.0.1:${port}`
  return {
    port,
    url: url.href,
    takeSeen() {
      const taken = seen
      seen = []
      return taken
    },
    cutAt(batch, moment) {
      armed = { left: batch, moment }
    },
    keepBack(beginning) {
      return new Promise((came) => {
        awaited = { beginning, came }
      })
    },
    mend() {
      armed = null
      if (silent) for (const socket of lines) socket.destroy()
      silent = false
    },
    renew() {
      for (const socket of lines) socket.destroy()
    },
    async close() {
      for (const socket of lines) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }

  function keep(socket: Socket): Socket {
    lines.add(socket)
    return socket.on('close', () => lines.delete(socket)).on('error', () => {})
  }

  /** Returns what a batch waits for; null where it does not. */
  function keptBack(statement: string): Promise<void> | null {
    if (!awaited || !statement.startsWith(awaited.beginning)) return null
    const { promise, resolve } = Promise.withResolvers<void>()
    awaited.came(resolve)
    awaited = null
    return promise
  }

  function decide(statement: string): Decision {
    seen.push(statement)
    if (!armed) return null
    if (armed.left > 0) {
      armed.left -= 1
      return null
    }
    const { moment } = armed
    armed = null
    silent = moment === 'in silence'
    return moment
  }
}

const PARSE = 'P'
const BIND = 'B'
/** The messages that end a client's batch, and the one that ends the server's answer to it. */
const SYNC = 'S'
const QUERY = 'Q'
const FLUSH = 'H'
const READY = 'Z'
const PASSWORD = 'p'
/** The start-up message is longer. */
const SSL_REQUEST_BYTES = 8
const DESCRIBED = ['T', 'n']

type Line = {
  decide: (statement: string) => Decision
  isSilent: () => boolean
  keptBack: (statement: string) => Promise<void> | null
}

function join(client: Socket, upstream: Socket, { decide, isSilent, keptBack }: Line): void {
  let batch: Buffer[] = []
  let statement = ''
  /** The text of each prepared statement by its name. */
  const prepared = new Map<string, string>()
  /** The answers that the server still owes; the first is to the start-up message. */
  let owed = 1
  /** The answer after which the connection is cut; until then nothing is forwarded. */
  let last: { end: string[]; owed: number } | null = null

  readFrames(client, true, (frame, type) => {
    // Who asks so looks whether anybody is there: see `closeWhenSilent`.
    if (type === '' && frame.length === SSL_REQUEST_BYTES) return void client.write('N')
    batch.push(frame)
    statement = read(frame, type) ?? statement
    const isSigningIn = type === '' || type === PASSWORD
    if (!isSigningIn && ![SYNC, QUERY, FLUSH].includes(type)) return
    const whole = Buffer.concat(batch)
    batch = []
    const decision = isSigningIn ? null : decide(statement)
    if (decision === 'before') return sever()
    if (type !== FLUSH && !isSigningIn) owed += 1
    if (decision === 'during') {
      upstream.end(whole)
      return hangUp()
    }
    if (decision === 'after') last = type === FLUSH ? { end: DESCRIBED, owed } : { end: [READY], owed }
    const waits = keptBack(statement)
    if (waits) void waits.then(() => upstream.write(whole))
    else upstream.write(whole)
  })
  readFrames(upstream, false, (frame, type) => {
    if (last?.end.includes(type) && (type !== READY || owed === 1)) return sever()
    if (type === READY) owed -= 1
    if (!last && !isSilent()) client.write(frame)
  })
  client.on('close', () => upstream.end())
  upstream.on('close', () => isSilent() || client.end())

  /** Returns the statement that a message prepares, binds or sends. */
  function read(frame: Buffer, type: string): string | undefined {
    const [first = '', second = ''] = frame.toString('utf8', 5).split('\0')
    if (type === QUERY) return first
    if (type === PARSE) prepared.set(first, second)
    if (type === BIND) return prepared.get(second)
    return type === PARSE ? second : undefined
  }

  function sever(): void {
    upstream.destroy()
    hangUp()
  }

  /** Resets the connection, as a machine that has crashed does. */
  function hangUp(): void {
    client.resetAndDestroy()
  }
}

/** Splits a stream into the protocol's messages: a letter (absent in the start-up message), the length, the content. */
function readFrames(socket: Socket, hasStartUp: boolean, take: (frame: Buffer, type: string) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  let letters = hasStartUp ? 0 : 1
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= letters + 4) {
      const length = letters + rest.readUInt32BE(letters)
      if (rest.length < length) return
      const frame = rest.subarray(0, length)
      const type = letters === 0 ? '' : String.fromCharCode(frame[0] ?? 0)
      rest = rest.subarray(length)
      letters = 1
      take(frame, type)
      if (socket.destroyed) return
    }
  })
}
