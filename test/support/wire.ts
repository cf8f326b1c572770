import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * Whether the database never sees what was sent, sees it but is heard no more, or has done it before the cut. In
 * silence it sees it, and nothing is heard from then on, by anybody, not even that a connection has ended.
 */
export type Moment = 'before' | 'during' | 'after' | 'in silence'

/** A connection to PostgreSQL over a wire that is cut at a chosen place. */
export interface Wire {
  port: number
  /** The statement of each batch since it was last asked, over all connections. */
  takeSeen(): string[]
  /** Cuts the connection at a batch, the next one being 0, over all connections. */
  cutAt(batch: number, moment: Moment): void
  /** Makes the wire whole again. */
  mend(): void
  /** Closes the connections that are open, so that the next are new. */
  renew(): void
  close(): Promise<void>
}

type Decision = Moment | null

/**
 * Opens a wire on a TCP port of its own that leads to a unix socket. What lies between two boundaries of the protocol
 * is called a batch: messages that the server answers only together, such as a statement or a COMMIT.
 */
export async function openWire(socketPath: string): Promise<Wire> {
  let armed: { left: number; moment: Moment } | null = null
  let seen: string[] = []
  let silent = false
  const lines = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    keep(client)
    if (silent) return
    const upstream = keep(connect(socketPath))
    join(client, upstream, decide, () => silent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    takeSeen() {
      const taken = seen
      seen = []
      return taken
    },
    cutAt(batch, moment) {
      armed = { left: batch, moment }
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
/** What a client sends as the last of a batch, and what the server answers as the last of that batch. */
const SYNC = 'S'
const QUERY = 'Q'
const FLUSH = 'H'
const READY = 'Z'
const DESCRIBED = ['T', 'n']

function join(
  client: Socket,
  upstream: Socket,
  decide: (statement: string) => Decision,
  isSilent: () => boolean,
): void {
  let batch: Buffer[] = []
  let statement = ''
  /** The text of each prepared statement by its name. */
  const prepared = new Map<string, string>()
  /** Answers that the server owes; the first is that to the start-up. */
  let owed = 1
  /** After this many of them the line is cut, and nothing more is heard until then. */
  let last: { end: string[]; owed: number } | null = null

  readFrames(client, true, (frame, type) => {
    batch.push(frame)
    statement = read(frame, type) ?? statement
    if (type !== '' && ![SYNC, QUERY, FLUSH].includes(type)) return
    const whole = Buffer.concat(batch)
    batch = []
    const decision = type === '' ? null : decide(statement)
    if (decision === 'before') return sever()
    if (type !== FLUSH && type !== '') owed += 1
    if (decision === 'during') {
      upstream.end(whole)
      return hangUp()
    }
    if (decision === 'after') last = type === FLUSH ? { end: DESCRIBED, owed } : { end: [READY], owed }
    upstream.write(whole)
  })
  readFrames(upstream, false, (frame, type) => {
    if (last?.end.includes(type) && (type !== READY || owed === 1)) return sever()
    if (type === READY) owed -= 1
    if (!last && !isSilent()) client.write(frame)
  })
  client.on('close', () => upstream.end())
  upstream.on('close', () => isSilent() || client.end())

  /** The statement that a message prepares, binds or sends whole. */
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

  /** As a machine does that is gone: without the farewell of a connection that ends in order. */
  function hangUp(): void {
    client.resetAndDestroy()
  }
}

/** Takes a stream apart into the protocol's messages: a letter (but in the start-up), the length, the rest. */
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
