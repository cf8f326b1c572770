import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../test/support/port.ts'

/** The bandwidth and the latency of a line. */
export interface LineFacts {
  /** The bandwidth of each direction, which all connections share. */
  bitsPerSecond: number
  /** The round trip in milliseconds. */
  roundTripMs: number
}

export interface Line {
  /** The URL of the line's near end, which leads to the server. */
  url: string
  /** Returns the bytes received from the server since the last call. */
  takeBytes(): number
  close(): Promise<void>
}

/** The bytes of a packet without and with its headers. */
const PAYLOAD = 1_460
const PACKET = 1_500
/** TCP's first window: the packets that a new connection may send before an acknowledgement. Each one adds a packet. */
const FIRST_WINDOW = 10

/**
 * Opens a proxy that imitates a slow line under TCP: a connection costs a round trip before its first byte, starts
 * slowly, and shares the line with the others packet by packet. Chromium's own emulation leaves out connections and
 * the fetches of workers.
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
  const port = await listen(server)
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

/** One connection with its unsent packets. */
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

  /** Sends until the line is busy. Timers fire late, so packets that were due meanwhile are sent at once. */
  #send() {
    while (this.#freeAt <= performance.now()) {
      this.#busy = this.#sendNext()
      if (!this.#busy) return
    }
    setTimeout(() => this.#send(), Math.max(0, this.#freeAt - performance.now()))
  }

  /** Sends one packet of the next connection that may send. Returns false if none may. */
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

/** Runs acts at their times in the order of `put`; separate timers could fire in any order. */
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
