import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Box, POLL, readBox } from './box-file.ts'
import { Connection } from './connection.ts'
import { answerAndEnd } from './run-process.ts'

// Asks as boxes do, without a pause. Its own process keeps this work off the server's thread and the measurement's.

/** The message that starts the work. 'begun' is the answer once it begins; `Asked` is the message that ends it. */
export type Order = {
  url: string
  /** The file of boxes, of which `boxes` ask in turn from the one at `first`. */
  file: string
  first: number
  boxes: number
  connections: number
  work: Work
}

export type Work =
  | { kind: 'each polls once' }
  | { kind: 'poll'; milliseconds: number; perSecond: number | null }
  /** Asks nothing, and takes as much of the cores as one that polls. */
  | { kind: 'stay awake'; milliseconds: number }
  /** Each signs in over a connection of its own and polls, and tries again until it is in. */
  | { kind: 'sign in' }

export interface Asked {
  /** How many polls were answered by having nothing to tell, how many by anything else, and the last of these. */
  quiet: number
  others: number
  other: string
  /** How often a box had to try again. */
  again: number
  milliseconds: number
}

/** How long a box waits before it tries again. */
const PAUSE_MS = 1_000

const HANDSHAKE = 'type=stb&action=handshake&token=&JsHttpRequest=1-xml'
const PROFILE =
  'type=stb&action=get_profile&hd=1&num_banks=2&stb_type=MAG254&image_version=218&auth_second_step=0&hw_version=2.6-IB-00' +
  '&ver=ImageDescription%3A%200.2.18-r23%3B%20PORTAL%20version%3A%205.6.2%3B%20API%20Version%3A%20343&JsHttpRequest=1-xml'
const QUIET = '{"js":{"data":{"msgs":0,"additional_services_on":"1"}}}'

process.once('message', async (order: Order) => {
  const began = performance.now()
  const asking = new Asking(order)
  process.send?.('begun')
  const asked = await asking.done()
  answerAndEnd({ ...asked, milliseconds: performance.now() - began } satisfies Asked)
})

class Asking {
  readonly #order: Order
  readonly #file: Buffer
  readonly #asked = { quiet: 0, others: 0, other: '', again: 0 }
  #taken = 0

  constructor(order: Order) {
    this.#order = order
    this.#file = readFileSync(order.file)
  }

  async done(): Promise<Omit<Asked, 'milliseconds'>> {
    const { connections, work } = this.#order
    const one = {
      'each polls once': this.#pollOnce,
      poll: this.#poll,
      'stay awake': this.#rest,
      'sign in': this.#signIn,
    }[work.kind]
    const stop = 'milliseconds' in work ? stayAwake() : () => {}
    await Promise.all(Array.from({ length: connections }, () => one.call(this)))
    stop()
    return this.#asked
  }

  async #pollOnce(): Promise<void> {
    const connection = await Connection.open(this.#order.url)
    while (this.#taken < this.#order.boxes) this.#count(await connection.ask(POLL, this.#next()))
    connection.close()
  }

  async #poll(): Promise<void> {
    const { work, url, connections } = this.#order
    if (work.kind !== 'poll') return
    const connection = await Connection.open(url)
    const every = work.perSecond === null ? 0 : (1000 * connections) / work.perSecond
    const until = performance.now() + work.milliseconds
    let next = performance.now() + Math.random() * every
    while (performance.now() < until) {
      if (every > 0) await pause(Math.max(0, next - performance.now()))
      next += every
      this.#count(await connection.ask(POLL, this.#next()))
    }
    connection.close()
  }

  async #rest(): Promise<void> {
    const { work } = this.#order
    if (work.kind === 'stay awake') await pause(work.milliseconds)
  }

  async #signIn(): Promise<void> {
    while (this.#taken < this.#order.boxes) {
      const box = this.#next()
      while (!(await this.#isLetIn(box))) {
        this.#asked.again += 1
        await pause(PAUSE_MS)
      }
    }
  }

  async #isLetIn({ mac, serial }: Box): Promise<boolean> {
    let connection: Connection | null = null
    try {
      connection = await Connection.open(this.#order.url)
      const { token } = read<{ token: string }>(await connection.ask(HANDSHAKE, { mac, token: '' }))
      const id = createHash('sha256').update(mac).digest('hex').toUpperCase()
      const profile = `${PROFILE}&sn=${serial}&device_id=${id}&device_id2=${id}`
      const { status } = read<{ status: number }>(await connection.ask(profile, { mac, token }))
      if (status !== 0) return false
      this.#count(await connection.ask(POLL, { mac, token }))
      return true
    } catch {
      return false
    } finally {
      connection?.close()
    }
  }

  #next(): Box {
    const { first, boxes } = this.#order
    const box = readBox(this.#file, first + (this.#taken % boxes))
    this.#taken += 1
    return box
  }

  #count(answer: string): void {
    if (answer === QUIET) this.#asked.quiet += 1
    else {
      this.#asked.others += 1
      this.#asked.other = answer
    }
  }
}

/**
 * Keeps this process from sleeping until the returned function is called. A server pays for waking up whom it answers
 * on its own machine: the slower one for each answer, as much as for the rest of it, and one that is as fast as this
 * process never. Boxes are on other machines.
 */
function stayAwake(): () => void {
  let next = setImmediate(spin)
  return () => clearImmediate(next)

  function spin() {
    next = setImmediate(spin)
  }
}

function read<T>(answer: string): T {
  return (JSON.parse(answer) as { js: T }).js
}
