import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { pick, whole } from '../../server/commands/demo/dice.ts'
import { type Connect, withPool } from '../../server/postgres/pool.ts'
import { PLAYED } from '../../server/verify/guards.ts'
import { verify } from '../../server/verify/verify.ts'
import { proveTheBooks } from './books.ts'
import { newClient, Person } from './world.ts'

/** The password of every account of the workload, the admin included. */
export const WORKLOAD_PASSWORD = 'one-password-for-all'
export const WORKLOAD_ENV = { CAPTCHA_PROVIDER: 'none', ADMIN_PASSWORD: WORKLOAD_PASSWORD }

const DEALERS = 4
const WORKERS = 32
const PAUSE_MS = 50

/**
 * A workload of 32 workers that spend credits without a pause, on a console that may fail at any moment. A worker
 * repeats each write under its Idempotency-Key until it is answered, and records what the answer means for the ledger.
 */
export class Workload {
  /** Counts the writes acknowledged at the first try or a later one, and the calls that ended otherwise. */
  readonly tally = { firstTry: 0, retried: 0, refused: 0, unavailable: 0, unanswered: 0, cut: 0 }
  /** The longest time that a 503 took, in milliseconds. */
  slowestRefusal = 0
  /** The rows that the ledger must have, by their login. */
  readonly #expectedRows = new Map<string, string[]>()
  /** When the successful retry of each retried key was sent. */
  readonly #retriedAt = new Map<string, number>()
  #working: Promise<void>[] = []
  #isStopping = false

  /** Creates the workload's tree of accounts on a console that has just been started for the first time. */
  static async create(console: { url: string }): Promise<Workload> {
    const workload = new Workload()
    const admin = await signIn(console, 'admin')
    const north = await workload.#createAccount(console, admin, 'superreseller', 'north', 40)
    const city = await workload.#createAccount(console, north, 'reseller', 'city', 32)
    for (let index = 0; index < DEALERS; index += 1) {
      const dealer = await workload.#createAccount(console, city, 'dealer', `corner-${index}`, 7)
      workload.branches.push({ superreseller: north, reseller: city, dealer })
    }
    return workload
  }

  /** Each dealer with the accounts above it. */
  readonly branches: { superreseller: Person; reseller: Person; dealer: Person }[] = []

  start(): void {
    this.#isStopping = false
    this.#working = Array.from({ length: WORKERS }, (_, index) => {
      const { reseller, dealer } = this.branches[index % DEALERS] as (typeof this.branches)[number]
      return index < DEALERS ? this.#workAsReseller(reseller, dealer) : this.#workAsDealer(dealer)
    })
    // `stop` and `untilAcknowledged` report a worker's failure.
    for (const work of this.#working) work.catch(() => {})
  }

  /** Lets every worker repeat its current write until it is answered, then ends. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#working)
  }

  /** Waits until this many more writes are acknowledged. */
  async untilAcknowledged(more: number): Promise<void> {
    const goal = this.acknowledged + more
    while (this.acknowledged < goal) {
      await Promise.race([pause(PAUSE_MS), Promise.all(this.#working)])
      if (this.#isStopping) throw new Error('the workload is not running')
    }
  }

  get acknowledged(): number {
    return this.tally.firstTry + this.tally.retried
  }

  /** Expects exactly the recorded rows in the ledger, and checks the books in two independent ways. */
  async check(to: Connect, role: string): Promise<void> {
    await withPool(to, { max: 2, isLong: true }, async (sql) => {
      const rows = await sql<{ login: string; type: string; credits: number }[]>`
        select login, type, credits from transfer order by id`
      const found = Object.groupBy(rows, ({ login }) => login)
      const described = Object.entries(found).map(([login, of]) => [
        login,
        of?.map(({ type, credits }) => `${type} ${credits}`),
      ])
      expect(Object.fromEntries(described)).toEqual(Object.fromEntries(this.#expectedRows))
      expect(await sql`select from idempotency_key where reply is null`).toHaveLength(0)
      await proveTheBooks(sql)
      const { first, others } = await verify(sql, role)
      // A test's database may run on the test's clock.
      expect({ first, others: others.filter((one) => one !== PLAYED) }).toEqual({ first: null, others: [] })
    })
  }

  /** Returns the keys of writes that had been committed before the retry which was answered. */
  async findLostAnswers(to: Connect): Promise<string[]> {
    const answers = await withPool(
      to,
      { max: 1 },
      (sql) => sql<{ key: string; created: string }[]>`select key, created from idempotency_key`,
    )
    // A try whose answer was lost came at least a pause before the retry. Less than that is how exactly clocks are
    // read.
    const isLost = ({ key, created }: { key: string; created: string }) =>
      Date.parse(created) < (this.#retriedAt.get(key) ?? 0) - PAUSE_MS / 2
    return answers.filter(isLost).map(({ key }) => key)
  }

  get summary(): string {
    const { firstTry, retried, refused, unavailable, unanswered, cut } = this.tally
    return (
      `${this.acknowledged} writes acknowledged, ${retried} of them after a retry (${firstTry} at once), ` +
      `${refused} refused; ${unavailable} answers 503 (the slowest after ${seconds(this.slowestRefusal)}), ` +
      `${unanswered} calls without an answer, ${cut} with half of one`
    )
  }

  /** Creates, renews and changes clients, and retrieves credits, until the workload stops. */
  async #workAsDealer(dealer: Person): Promise<void> {
    while (!this.#isStopping) {
      const own: Client[] = []
      for (let turn = 0; turn < 20 && !this.#isStopping; turn += 1) await this.#writeAsDealer(dealer, own)
    }
  }

  async #writeAsDealer(dealer: Person, own: Client[]): Promise<void> {
    const months = 1 + whole(3)
    const [one, two] = own
    if (!one || !two) {
      const input = newClient({
        login: `c-${randomUUID().slice(0, 12)}`,
        stb_mac: null,
        ministra: true,
        months,
      })
      if (await this.#write(dealer, calls.clients.create, input)) {
        this.#record(input.login, `USED ${months}`)
        own.push({ name: input.login, paid: months })
      }
      return
    }
    const client = pick(own)
    switch (whole(4)) {
      case 0:
        if (await this.#write(dealer, calls.clients.renew, { name: client.name, months }))
          this.#recordPurchase(client, months)
        return
      case 1:
        if (await this.#write(dealer, calls.clients.save, { login: client.name, months, desc: randomUUID() }))
          this.#recordPurchase(client, months)
        return
      case 2:
        if (await this.#write(dealer, calls.clients.multirenew, { clients: [one.name, two.name], months })) {
          this.#recordPurchase(one, months)
          this.#recordPurchase(two, months)
        }
        return
      default:
        // The retrieval must leave a month; otherwise it would count as a trial.
        if (client.paid <= months) return
        if (await this.#write(dealer, calls.clients.retrieve, { login: client.name, credits: months })) {
          client.paid -= months
          this.#record(client.name, `RETRIEVED ${months}`)
        }
    }
  }

  #recordPurchase(client: Client, months: number): void {
    client.paid += months
    this.#record(client.name, `USED ${months}`)
  }

  /** Gives credits to a dealer and takes them back, until the workload stops. */
  async #workAsReseller(reseller: Person, dealer: Person): Promise<void> {
    while (!this.#isStopping) {
      const credits = 1 + whole(50)
      const transaction = whole(3) === 0 ? 1 : 0
      const input = { name: dealer.name, credits, transaction, desc: randomUUID() }
      if (await this.#write(reseller, calls.level.dealer.save, input)) {
        this.#record(dealer.name, `${transaction ? 'REMOVE' : 'ADD'} ${credits}`)
      }
    }
  }

  /** Repeats a write until its outcome is known. Returns whether it was done. */
  async #write(person: Person, call: Call, input: object): Promise<boolean> {
    const key = randomUUID()
    for (let tries = 1; ; tries += 1) {
      const sent = Date.now()
      const answer = await person.attempt(call, input, { key })
      if (answer === null || answer === 'cut') {
        this.tally[answer ?? 'unanswered'] += 1
        await pause(PAUSE_MS)
        continue
      }
      if (answer.status === 200) {
        this.tally[tries === 1 ? 'firstTry' : 'retried'] += 1
        if (tries > 1) this.#retriedAt.set(key, sent)
        return true
      }
      if (answer.status !== 503) {
        expect(answer.body).toMatchObject({ code: 'insufficient_credits' })
        this.tally.refused += 1
        return false
      }
      this.tally.unavailable += 1
      this.slowestRefusal = Math.max(this.slowestRefusal, Date.now() - sent)
      await pause(PAUSE_MS)
    }
  }

  async #createAccount(
    console: { url: string },
    parent: Person,
    level: 'superreseller' | 'reseller' | 'dealer',
    name: string,
    thousands: number,
  ): Promise<Person> {
    await parent.call(calls.level[level].create, { login: name, password: WORKLOAD_PASSWORD })
    for (let given = 0; given < thousands; given += 1) {
      await parent.call(calls.level[level].save, { name, credits: 1000, transaction: 0 })
      this.#record(name, 'ADD 1000')
    }
    return signIn(console, name)
  }

  #record(login: string, row: string): void {
    const rows = this.#expectedRows.get(login) ?? []
    rows.push(row)
    this.#expectedRows.set(login, rows)
  }
}

type Client = { name: string; paid: number }

export function range(milliseconds: number[]): string {
  return `${seconds(Math.min(...milliseconds))} to ${seconds(Math.max(...milliseconds))}`
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

/** Signs in to a real console, whose people all have the same password here. */
export async function signIn(console: { url: string }, name = 'admin'): Promise<Person> {
  const nobody = new Person(console, { id: 0, name: '', role: 'dealer', token: '' })
  const { token, role } = await nobody.call(calls.session.login, {
    login_username: name,
    login_password: WORKLOAD_PASSWORD,
  })
  return new Person(console, { id: 0, name, role, token })
}
