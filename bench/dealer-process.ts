import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { calls } from '../contract/calls.ts'
import { LONG, MANY, oneOf, takeAct, type What } from './acts.ts'
import { Connection } from './connection.ts'
import { download } from './download.ts'
import { answerAndEnd } from './run-process.ts'

// Works as dealers do. Its own process keeps this work off the server's thread and the measurement's.

/** The message that starts the work; `Dealt` is the message that ends it. */
export interface Order {
  url: string
  dealers: Dealer[]
  milliseconds: number
  work: Work
}

export interface Dealer {
  token: string
  clients: string[]
}

export type Work =
  /** One act after the other over one connection, then each long call a few times: what they take by themselves. */
  | { kind: 'alone' }
  /** So many dealers at once, none of whom ever pauses. */
  | { kind: 'without a pause'; atOnce: number }
  /**
   * All dealers, each with a connection and random pauses, who together begin so many acts a second; and the first one
   * over so many more connections without a pause.
   */
  | { kind: 'at a rate'; perSecond: number; greedy: number }

export interface Dealt {
  made: Made[]
  /** The acts that each dealer began, and those that it would have begun had it never waited. */
  acts: { begun: number; due: number }[]
  /** What was not answered with 200. */
  errors: string[]
  milliseconds: number
}

/** A call that was answered. Of a file it is the ticket and the time to the first byte. */
export interface Made {
  what: What
  /** The place of its dealer in the order. */
  dealer: number
  ms: number
  /** When it was answered, in milliseconds since 1970. */
  at: number
}

/** How often one of the dealers makes a long call, over a connection of its own. */
const EVERY_MS = { file: 4_000, 'multi-renewal': 20_000 }
/** How often each long call is made alone. */
const TIMES_ALONE = 2
/** One file of so many is a PDF. */
const PDF_OF = 4

process.once('message', async (order: Order) => {
  answerAndEnd(await new Dealing(order).done())
})

class Dealing {
  readonly #order: Order
  readonly #began = performance.now()
  readonly #until: number
  readonly #made: Made[] = []
  readonly #acts: Dealt['acts']
  readonly #errors: string[] = []

  constructor(order: Order) {
    this.#order = order
    this.#until = this.#began + order.milliseconds
    this.#acts = order.dealers.map(() => ({ begun: 0, due: 0 }))
  }

  async done(): Promise<Dealt> {
    const { work, dealers } = this.#order
    const anybody = () => Math.floor(Math.random() * dealers.length)
    if (work.kind === 'alone') {
      await this.#work(anybody, 0)
      const milliseconds = performance.now() - this.#began
      for (const what of LONG) for (let time = 0; time < TIMES_ALONE; time += 1) await this.#long(what)
      return this.#dealt(milliseconds)
    }
    const people =
      work.kind === 'at a rate'
        ? [
            ...dealers.map((_, at) => this.#work(() => at, (1000 * dealers.length) / work.perSecond)),
            ...Array.from({ length: work.greedy }, () => this.#work(() => 0, 0)),
          ]
        : Array.from({ length: work.atOnce }, () => this.#work(anybody, 0))
    await Promise.all([...people, ...LONG.map((what) => this.#again(what))])
    return this.#dealt(performance.now() - this.#began)
  }

  #dealt(milliseconds: number): Dealt {
    return { made: this.#made, acts: this.#acts, errors: this.#errors, milliseconds }
  }

  /**
   * Acts as a dealer until the end. Each act is due after a random pause from when the last one was due, as if nobody
   * waited; a call counts from then on, so that a wait for the dealer's own earlier calls is part of it.
   * @param every the mean pause in milliseconds; 0 for none
   */
  async #work(next: () => number, every: number): Promise<void> {
    let connection = await Connection.open(this.#order.url)
    for (let due = this.#began; ; ) {
      due = every > 0 ? due - every * Math.log(1 - Math.random()) : performance.now()
      if (due >= this.#until) break
      const dealer = next()
      const acts = this.#acts[dealer] as Dealt['acts'][number]
      acts.due += 1
      const early = due - performance.now()
      if (early > 0) await pause(early)
      if (performance.now() >= this.#until) continue
      acts.begun += 1
      const isDone = await this.#tried(() => this.#act(connection, dealer, due))
      if (isDone) continue
      connection.close()
      connection = await Connection.open(this.#order.url)
    }
    connection.close()
  }

  async #act(connection: Connection, dealer: number, due: number): Promise<void> {
    const { token, clients } = this.#order.dealers[dealer] as Dealer
    let since = due
    const made = async (what: What, answer: Promise<string>) => {
      const text = await answer
      this.#made.push({ what, dealer, ms: performance.now() - since, at: Date.now() })
      since = performance.now()
      return text
    }
    await takeAct()(
      {
        get: (what, path) => made(what, connection.get(path, token)),
        post: (what, { path }, input) =>
          made(what, connection.post(path, token, JSON.stringify(input), randomUUID())),
      },
      oneOf(clients),
    )
  }

  /** Makes a long call again and again until the end, at even intervals. */
  async #again(what: (typeof LONG)[number]): Promise<void> {
    const every = EVERY_MS[what]
    for (let due = this.#began + every / 2; due < this.#until; due += every) {
      await pause(Math.max(0, due - performance.now()))
      await this.#long(what)
    }
  }

  async #long(what: (typeof LONG)[number]): Promise<void> {
    await this.#tried(() => (what === 'file' ? this.#file() : this.#renewMany()))
  }

  async #file(): Promise<void> {
    const { url, dealers } = this.#order
    const dealer = Math.floor(Math.random() * dealers.length)
    const format = Math.random() * PDF_OF < 1 ? 'pdf' : 'csv'
    const input = { format, search: '', sort: 'name', order: 'asc', filter: 'all' }
    const began = performance.now()
    const answer = await this.#over((connection) =>
      connection.post(calls.clients.export.path, dealers[dealer]?.token ?? '', JSON.stringify(input)),
    )
    const { ticket } = JSON.parse(answer) as { ticket: string }
    const ticketMs = performance.now() - began
    const { firstMs } = await download(`${url}/v1${calls.files.download.path.replace('{ticket}', ticket)}`)
    this.#made.push({ what: 'file', dealer, ms: ticketMs + firstMs, at: Date.now() })
  }

  async #renewMany(): Promise<void> {
    const { dealers } = this.#order
    const great = dealers.flatMap(({ clients }, at) => (clients.length === MANY ? [at] : []))
    const dealer = oneOf(great)
    const { token, clients } = dealers[dealer] as Dealer
    const body = JSON.stringify({ clients, months: 1 })
    const began = performance.now()
    await this.#over((connection) =>
      connection.post(calls.clients.multirenew.path, token, body, randomUUID()),
    )
    this.#made.push({ what: 'multi-renewal', dealer, ms: performance.now() - began, at: Date.now() })
  }

  /** Works over a connection of its own. */
  async #over(work: (connection: Connection) => Promise<string>): Promise<string> {
    const connection = await Connection.open(this.#order.url)
    try {
      return await work(connection)
    } finally {
      connection.close()
    }
  }

  async #tried(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      this.#errors.push(error instanceof Error ? error.message : String(error))
      return false
    }
  }
}
