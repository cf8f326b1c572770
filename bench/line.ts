import { connect, createServer, type Socket } from 'node:net'

/** What a line carries and how far it reaches. */
export interface LineFacts {
  /** Bits a second, of each direction, shared by all connections. */
  bitsPerSecond: number
  /** There and back, in milliseconds. */
  roundTripMs: number
}

export interface Line {
  /** Where the line begins; its other end is the server it was opened to. */
  url: string
  /** Bytes that came down since the last time this was asked. */
  takeBytes(): number
  close(): Promise<void>
}

/** The payload of a packet, and what it takes of the line with its headers, in bytes. */
const PAYLOAD = 1_460
const PACKET = 1_500
/** Packets under way on a fresh connection before the first is acknowledged; each acknowledgement lets one more go. */
const FIRST_WINDOW = 10

/**
 * A slow line to a server on this machine, as TCP meets it: a connection costs a round trip before anything is sent,
 * begins slowly, and shares the line with the others packet by packet. The browser's own emulation knows neither
 * connections nor what a worker fetches.
 */
export async function openLine(to: string, { bitsPerSecond, roundTripMs }: LineFacts): Promise<Line> {
  const target = new URL(to)
  const packetMs = (PACKET * 8_000) / bitsPerSecond
  const down = new Lane(packetMs, roundTripMs)
  const up = new Lane(packetMs, roundTripMs)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    sockets.add(near).add(far)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pause()
    setTimeout(() => near.resume(), roundTripMs)
    up.carry(near, far)
    down.carry(far, near)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://localhost:${port}`,
    takeBytes: () => down.takeBytes(),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** What one connection has to send. */
interface Sender {
  pieces: Buffer[]
  window: number
  underWay: number
  to: Socket
}

/** One direction of the line. */
class Lane {
  #packetMs: number
  #roundTripMs: number
  #senders: Sender[] = []
  #freeAt = 0
  #busy = false
  #bytes = 0
  #arriving = new Later()
  #acknowledged = new Later()

  constructor(packetMs: number, roundTripMs: number) {
    this.#packetMs = packetMs
    this.#roundTripMs = roundTripMs
  }

  carry(from: Socket, to: Socket) {
    const sender: Sender = { pieces: [], window: FIRST_WINDOW, underWay: 0, to }
    this.#senders.push(sender)
    from.on('data', (data: Buffer) => {
      for (let at = 0; at < data.length; at += PAYLOAD) sender.pieces.push(data.subarray(at, at + PAYLOAD))
      this.#pump()
    })
    from.on('close', () => {
      this.#senders = this.#senders.filter((one) => one !== sender)
    })
  }

  takeBytes() {
    const bytes = this.#bytes
    this.#bytes = 0
    return bytes
  }

  #pump() {
    if (this.#busy) return
    this.#freeAt = Math.max(this.#freeAt, performance.now())
    this.#send()
  }

  /** Sends until the line is taken. A timer comes late, so what could have been sent meanwhile is sent at once. */
  #send() {
    while (this.#freeAt <= performance.now()) {
      this.#busy = this.#sendNext()
      if (!this.#busy) return
    }
    setTimeout(() => this.#send(), Math.max(0, this.#freeAt - performance.now()))
  }

  /** One packet of the connection whose turn it is; false where none may send. */
  #sendNext(): boolean {
    const at = this.#senders.findIndex(
      ({ pieces, window, underWay }) => pieces.length > 0 && underWay < window,
    )
    const sender = this.#senders[at]
    const piece = sender?.pieces.shift()
    if (!sender || !piece) return false
    this.#senders.push(...this.#senders.splice(at, 1))
    sender.underWay += 1
    this.#freeAt += (this.#packetMs * (piece.length + PACKET - PAYLOAD)) / PACKET
    this.#bytes += piece.length
    this.#arriving.put(this.#freeAt + this.#roundTripMs / 2, () => sender.to.write(piece))
    this.#acknowledged.put(this.#freeAt + this.#roundTripMs, () => {
      sender.underWay -= 1
      sender.window += 1
      this.#pump()
    })
    return true
  }
}

/** What happens at a moment, each put in after the one before it: timers of their own would come in any order. */
class Later {
  #acts: { at: number; act: () => void }[] = []

  put(at: number, act: () => void) {
    this.#acts.push({ at, act })
    if (this.#acts.length === 1) this.#wait(at)
  }

  #wait(until: number) {
    setTimeout(() => this.#act(), Math.max(0, until - performance.now()))
  }

  #act() {
    while (this.#acts[0] && this.#acts[0].at <= performance.now()) {
      this.#acts[0].act()
      this.#acts.shift()
    }
    if (this.#acts[0]) this.#wait(this.#acts[0].at)
  }
}
