import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { pick, whole } from '../../server/commands/demo/dice.ts'
import { withPool } from '../../server/postgres/pool.ts'
import type { Urls } from './samples.ts'
import { PASSWORD } from './server.ts'

const DEALERS = 4
/** Who works at once: of each dealer two workers, and of each its reseller. Each writes every so many milliseconds. */
const WORKERS_EACH = 3
const WRITE_EVERY_MS = 120
const READ_EVERY_MS = 100
/** The pause before a write is sent again. */
const AGAIN_AFTER_MS = 100
/** How long workers may still try when the load ends, in milliseconds. */
const LAST_TRIES_MS = 60_000

/** How often a client is renewed before there is a new one. */
const RENEWALS = 8

/** Somebody who is signed in. */
type Person = { name: string; token: string }

/** The accounts that work in all scenarios, and the Idempotency-Key of every write with what is known of it. */
export class Accounts {
  readonly urls: Urls
  readonly keys = new Map<string, 'acknowledged' | 'unknown'>()
  reseller: Person = { name: '', token: '' }
  dealers: Person[] = []

  private constructor(urls: Urls) {
    this.urls = urls
  }

  /** Makes the accounts, with credits enough for a run. */
  static async open(urls: Urls): Promise<Accounts> {
    const accounts = new Accounts(urls)
    const admin = await accounts.#signIn('admin')
    const north = await accounts.#make('superreseller', admin, 'north', 40)
    accounts.reseller = await accounts.#make('reseller', north, 'city', 30)
    for (let at = 0; at < DEALERS; at += 1)
      accounts.dealers.push(await accounts.#make('dealer', accounts.reseller, `corner-${at}`, 2))
    return accounts
  }

  async #make(
    level: 'superreseller' | 'reseller' | 'dealer',
    parent: Person,
    name: string,
    tenThousands: number,
  ): Promise<Person> {
    const { create, save } = calls.level[level]
    await this.#need(create, { login: name, password: PASSWORD }, parent)
    for (let given = 0; given < tenThousands; given += 1)
      await this.#need(save, { name, credits: 10_000, transaction: 0 }, parent)
    return this.#signIn(name)
  }

  async #signIn(name: string): Promise<Person> {
    const { token } = await this.#need(calls.session.login, {
      login_username: name,
      login_password: PASSWORD,
    })
    return { name, token }
  }

  async #need<C extends Call>(call: C, input: InputOf<C>, person?: Person): Promise<OutputOf<C>> {
    const answer = await this.ask(call, input, { person })
    if (answer === null) throw new Error(`${call.name} got no answer`)
    return answer
  }

  /**
   * Makes a call as the console does. Returns null where it may be tried again, since its outcome is not known or the
   * server said so.
   * @throws Error for a refusal, which nothing here deserves
   */
  async ask<C extends Call>(
    call: C,
    input: InputOf<C>,
    { person, key }: { person?: Person | undefined; key?: string } = {},
  ): Promise<OutputOf<C> | null> {
    const answer = await received(`${this.urls.console}/v1${call.path}`, {
      method: call.method,
      headers: {
        ...(call.method === 'POST' && { 'content-type': 'application/json' }),
        ...(person && { 'access-token': person.token }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(call.method === 'POST' && { body: JSON.stringify(input) }),
    })
    if (answer === null || mayBeTriedAgain(answer)) return null
    if (answer.status !== 200) throw new Error(`${call.name} answered ${answer.status}: ${answer.text}`)
    return call.output.parse(JSON.parse(answer.text)) as OutputOf<C>
  }

  /** Asks for a token as a box does that was just switched on. Returns whether it got one. */
  async handshake(): Promise<boolean> {
    const answer = await received(`${this.urls.boxes}/portal.php?type=stb&action=handshake`, {
      headers: { cookie: 'mac=00:1A:79:00:00:01' },
    })
    return answer?.status === 200 && answer.text.includes('"token"')
  }

  /**
   * Compares the ledger with what is known of every write. Returns how many are lost, and how many stand there twice.
   */
  async compare(database: string): Promise<{ lost: number; doubled: number }> {
    const rows = await withPool(
      database,
      { max: 1, isLong: true },
      (sql) => sql<{ description: string; count: number }[]>`
        select description, count(*) from transfer group by description`,
    )
    const found = new Map(rows.map(({ description, count }) => [description, count]))
    const keys = [...this.keys]
    return {
      lost: keys.filter(([key, outcome]) => outcome === 'acknowledged' && !found.has(key)).length,
      doubled: keys.filter(([key]) => (found.get(key) ?? 0) > 1).length,
    }
  }
}

/** A 503 of HAProxy's own page would be a fault to the console. */
function mayBeTriedAgain({ status, text }: { status: number; text: string }): boolean {
  return status === 502 || status === 504 || (status === 503 && text.includes('"code":"unavailable"'))
}

/** As long as the console waits for an answer. */
const LONGEST_WAIT_MS = 30_000

/** Returns the whole answer to a request; null where there was none. */
async function received(url: string, request: RequestInit): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(LONGEST_WAIT_MS) })
    return { status: response.status, text: await response.text() }
  } catch {
    return null
  }
}

/**
 * What dealers and their reseller do at once: about a hundred writes a second, each sent again with its key until it is
 * answered, and twenty reads.
 */
export class Load {
  /** The requests that were sent, and those of them that got no answer or a 502, 503 or 504. */
  readonly writes = { sent: 0, failed: 0 }
  readonly reads = { sent: 0, failed: 0 }
  readonly #accounts: Accounts
  /** When it began and ended, and when each write was acknowledged, in milliseconds. */
  readonly #began = performance.now()
  #ended: number | null = null
  readonly #acknowledged: number[] = []
  readonly #working: Promise<void>[]
  #isStopping = false
  #isGivenUp = false
  #fault: unknown = null

  constructor(accounts: Accounts) {
    this.#accounts = accounts
    const work = accounts.dealers.flatMap((dealer) => [
      ...Array.from({ length: WORKERS_EACH - 1 }, () => this.#deal(dealer)),
      this.#resell(dealer),
    ])
    const read = [
      this.#repeat(READ_EVERY_MS, () => this.#read(() => this.#list())),
      this.#repeat(READ_EVERY_MS, () => this.#read(() => accounts.handshake())),
    ]
    this.#working = [...work, ...read].map((one) =>
      one.catch((error) => {
        this.#fault ??= error
      }),
    )
  }

  /** Lets every worker bring its write to an end, as long as that does not take too long. */
  async stop(): Promise<void> {
    this.#ended = performance.now()
    this.#isStopping = true
    const timer = setTimeout(() => {
      this.#isGivenUp = true
    }, LAST_TRIES_MS)
    await Promise.all(this.#working)
    clearTimeout(timer)
    if (this.#fault) throw this.#fault
  }

  /** Waits until so many more writes are acknowledged. */
  async untilAcknowledged(more: number): Promise<void> {
    const goal = this.#acknowledged.length + more
    for (const deadline = Date.now() + 2 * LAST_TRIES_MS; this.#acknowledged.length < goal; await pause(50)) {
      if (this.#fault) throw this.#fault
      if (Date.now() > deadline) throw new Error('Writes have not come back')
    }
  }

  /** How many writes were acknowledged in a second, so far. */
  get rate(): number {
    return (1_000 * this.#acknowledged.length) / (performance.now() - this.#began)
  }

  /** The longest time without an acknowledged write, in milliseconds. */
  get longestGap(): number {
    return this.longestGapOf(this.#acknowledged)
  }

  /** Returns the longest time without any of these moments while the load worked, in milliseconds. */
  longestGapOf(moments: readonly number[]): number {
    const ended = this.#ended ?? performance.now()
    const within = moments.filter((at) => at > this.#began && at < ended)
    const times = [this.#began, ...within, ended]
    return Math.max(...times.map((at, index) => at - (times[index - 1] ?? at)))
  }

  /** Makes clients, and renews each some times. */
  async #deal(dealer: Person): Promise<void> {
    let renewable: string[] = []
    await this.#repeat(WRITE_EVERY_MS, async () => {
      if (renewable.length > 0) {
        const login = pick(renewable)
        renewable = whole(RENEWALS) === 0 ? renewable.filter((one) => one !== login) : renewable
        await this.#write(dealer, calls.clients.save, (desc) => ({ login, months: 1, desc }))
        return
      }
      const made = `c-${randomUUID().slice(0, 12)}`
      const input = { login: made, password: 'secret-tv', ministra: true, months: 1, package_selection: 1 }
      if (await this.#write(dealer, calls.clients.create, (desc) => ({ ...input, desc })))
        renewable.push(made)
    })
  }

  /** Gives a dealer credits, and now and then takes some back. */
  #resell({ name }: Person): Promise<void> {
    const { save } = calls.level.dealer
    return this.#repeat(WRITE_EVERY_MS, async () => {
      const transaction: 0 | 1 = whole(5) === 0 ? 1 : 0
      const credits = transaction === 1 ? 1 : 4
      await this.#write(this.#accounts.reseller, save, (desc) => ({ name, credits, transaction, desc }))
    })
  }

  async #list(): Promise<boolean> {
    const dealer = pick(this.#accounts.dealers)
    return (await this.#accounts.ask(calls.clients.list, {}, { person: dealer })) !== null
  }

  async #read(isAnswered: () => Promise<boolean>): Promise<void> {
    this.reads.sent += 1
    if (!(await isAnswered())) this.reads.failed += 1
  }

  /** Sends a write again until it is answered; its description is its key, which the ledger's row has too. */
  async #write<C extends Call>(person: Person, call: C, make: (key: string) => InputOf<C>): Promise<boolean> {
    const key = randomUUID()
    const { keys } = this.#accounts
    const input = make(key)
    keys.set(key, 'unknown')
    while (!this.#isGivenUp) {
      this.writes.sent += 1
      if ((await this.#accounts.ask(call, input, { person, key })) !== null) {
        keys.set(key, 'acknowledged')
        this.#acknowledged.push(performance.now())
        return true
      }
      this.writes.failed += 1
      await pause(AGAIN_AFTER_MS)
    }
    return false
  }

  async #repeat(every: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isStopping && this.#fault === null) {
      const began = performance.now()
      await work()
      await pause(Math.max(0, began + every - performance.now()))
    }
  }
}
