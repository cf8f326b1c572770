import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { pick, whole } from '../../server/commands/demo/dice.ts'
import { PLAYED } from '../../server/commands/verify/guards.ts'
import { verify } from '../../server/commands/verify/verify.ts'
import type { Connect } from '../../server/postgres/pool.ts'
import { openPool } from '../../server/postgres/pool.ts'
import { proveTheBooks } from './books.ts'
import { newClient, Person } from './world.ts'

/** Everybody's. */
export const CREW_PASSWORD = 'a-password-of-theirs'
/** What a console needs in its environment for a crew to work on it. */
export const CREW_ENV = { CAPTCHA_PROVIDER: 'none', ADMIN_PASSWORD: CREW_PASSWORD }

const DEALERS = 4
const WORKERS = 32
const PAUSE_MS = 50

/**
 * A crew of 32 who spend credits without a pause, on a console that may break at any moment. Each of them makes a
 * write with its own Idempotency-Key until told what has become of it; the crew keeps what it was told.
 */
export class Crew {
  /** How the writes came to be acknowledged: at once, or when asked again; and what came instead. */
  readonly tally = { atOnce: 0, askedAgain: 0, refused: 0, unavailable: 0, nothing: 0, cut: 0 }
  /** The longest that anybody waited for a 503, in milliseconds. */
  slowestRefusal = 0
  /** The rows of the ledger that must be there, by their login, as the workers were told. */
  private told = new Map<string, string[]>()
  /** Of each key that was asked again: when, in the end, with success. */
  private doubted = new Map<string, number>()
  private working: Promise<void>[] = []
  private home = false

  /** Makes a tree of accounts on a console that has just been started for the first time. */
  static async hire(shop: { url: string }): Promise<Crew> {
    const crew = new Crew()
    const admin = await signIn(shop, 'admin')
    const north = await crew.promote(shop, admin, 'superreseller', 'north', 40)
    const city = await crew.promote(shop, north, 'reseller', 'city', 32)
    for (let index = 0; index < DEALERS; index += 1) {
      const dealer = await crew.promote(shop, city, 'dealer', `corner-${index}`, 7)
      crew.places.push({ superreseller: north, reseller: city, dealer })
    }
    return crew
  }

  /** Everybody of the tree; each place is a dealer with the reseller above. */
  readonly places: { superreseller: Person; reseller: Person; dealer: Person }[] = []

  /** Sends them all to work. */
  start(): void {
    this.home = false
    this.working = Array.from({ length: WORKERS }, (_, index) => {
      const { reseller, dealer } = this.places[index % DEALERS] as (typeof this.places)[number]
      return index < DEALERS ? this.pass(reseller, dealer) : this.serve(dealer)
    })
    // Whoever fails is heard when they come home.
    for (const work of this.working) work.catch(() => {})
  }

  /** Lets each finish what they are at, to the truth about it. */
  async stop(): Promise<void> {
    this.home = true
    await Promise.all(this.working)
  }

  /** Waits until so many more writes were acknowledged. */
  async untilDone(more: number): Promise<void> {
    const goal = this.done + more
    while (this.done < goal) {
      await Promise.race([pause(PAUSE_MS), Promise.all(this.working)])
      if (this.home) throw new Error('nobody is at work')
    }
  }

  get done(): number {
    return this.tally.atOnce + this.tally.askedAgain
  }

  /** Holds the database against what the workers were told, and proves its books twice. */
  async prove(to: Connect, role: string): Promise<void> {
    const sql = openPool(to, { max: 2, patient: true })
    try {
      const rows = await sql<{ login: string; type: string; credits: number }[]>`
        select login, type, credits from transfer order by id`
      const found = Object.groupBy(rows, ({ login }) => login)
      const words = Object.entries(found).map(([login, of]) => [
        login,
        of?.map(({ type, credits }) => `${type} ${credits}`),
      ])
      expect(Object.fromEntries(words)).toEqual(Object.fromEntries(this.told))
      expect(await sql`select from answer where reply is null`).toHaveLength(0)
      await proveTheBooks(sql)
      const { first, others } = await verify(sql, role)
      // Some consoles here keep to a clock of the test's.
      expect({ first, others: others.filter((one) => one !== PLAYED) }).toEqual({ first: null, others: [] })
    } finally {
      await sql.end({ timeout: 5 })
    }
  }

  /** The keys of writes that were done when nobody was told of it, and then told when asked again. */
  async findUnanswered(to: Connect): Promise<string[]> {
    const sql = openPool(to, { max: 1 })
    try {
      const answers = await sql<{ key: string; created: string }[]>`select key, created from answer`
      const isUnanswered = ({ key, created }: { key: string; created: string }) =>
        Date.parse(created) < (this.doubted.get(key) ?? 0)
      return answers.filter(isUnanswered).map(({ key }) => key)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  /** What came of it, for whoever reads the output. */
  get summary(): string {
    const { atOnce, askedAgain, refused, unavailable, nothing, cut } = this.tally
    return (
      `${this.done} writes acknowledged, ${askedAgain} of them when asked again (${atOnce} at once), ` +
      `${refused} refused; ${unavailable} answers 503 (the slowest after ${seconds(this.slowestRefusal)}), ` +
      `${nothing} calls without an answer, ${cut} with half of one`
    )
  }

  /** A dealer's day: clients made, renewed, changed and taken back from. */
  private async serve(dealer: Person): Promise<void> {
    while (!this.home) {
      const own: Client[] = []
      for (let turn = 0; turn < 20 && !this.home; turn += 1) await this.turn(dealer, own)
    }
  }

  private async turn(dealer: Person, own: Client[]): Promise<void> {
    const months = 1 + whole(3)
    const [one, two] = own
    if (!one || !two) {
      const input = newClient({
        login: `c-${randomUUID().slice(0, 12)}`,
        stb_mac: null,
        ministra: true,
        months,
      })
      if (await this.make(dealer, calls.clients.create, input)) {
        this.tell(input.login, `USED ${months}`)
        own.push({ name: input.login, paid: months })
      }
      return
    }
    const client = pick(own)
    switch (whole(4)) {
      case 0:
        if (await this.make(dealer, calls.clients.renew, { name: client.name, months }))
          this.pay(client, months)
        return
      case 1:
        if (await this.make(dealer, calls.clients.save, { login: client.name, months, desc: randomUUID() }))
          this.pay(client, months)
        return
      case 2:
        if (await this.make(dealer, calls.clients.multirenew, { clients: [one.name, two.name], months })) {
          this.pay(one, months)
          this.pay(two, months)
        }
        return
      default:
        // A month is left, or it would count as a trial.
        if (client.paid <= months) return
        if (await this.make(dealer, calls.clients.retrieve, { login: client.name, credits: months })) {
          client.paid -= months
          this.tell(client.name, `RETRIEVED ${months}`)
        }
    }
  }

  private pay(client: Client, months: number): void {
    client.paid += months
    this.tell(client.name, `USED ${months}`)
  }

  /** A reseller's day: credits handed to a dealer, and taken back. */
  private async pass(reseller: Person, dealer: Person): Promise<void> {
    while (!this.home) {
      const credits = 1 + whole(50)
      const transaction = whole(3) === 0 ? 1 : 0
      const input = { name: dealer.name, credits, transaction, desc: randomUUID() }
      if (await this.make(reseller, calls.level.dealer.save, input)) {
        this.tell(dealer.name, `${transaction ? 'REMOVE' : 'ADD'} ${credits}`)
      }
    }
  }

  /** Makes a write until it is known whether it was done. */
  private async make(person: Person, call: Call, input: object): Promise<boolean> {
    const key = randomUUID()
    for (let tries = 1; ; tries += 1) {
      const asked = Date.now()
      const answer = await person.attempt(call, input, { key })
      if (answer === null || answer === 'cut') {
        this.tally[answer ?? 'nothing'] += 1
        await pause(PAUSE_MS)
        continue
      }
      if (answer.status === 200) {
        this.tally[tries === 1 ? 'atOnce' : 'askedAgain'] += 1
        if (tries > 1) this.doubted.set(key, asked)
        return true
      }
      if (answer.status !== 503) {
        expect(answer.body).toMatchObject({ code: 'insufficient_credits' })
        this.tally.refused += 1
        return false
      }
      this.tally.unavailable += 1
      this.slowestRefusal = Math.max(this.slowestRefusal, Date.now() - asked)
      await pause(PAUSE_MS)
    }
  }

  private async promote(
    shop: { url: string },
    parent: Person,
    level: 'superreseller' | 'reseller' | 'dealer',
    name: string,
    thousands: number,
  ): Promise<Person> {
    await parent.call(calls.level[level].create, { login: name, password: CREW_PASSWORD })
    for (let given = 0; given < thousands; given += 1) {
      await parent.call(calls.level[level].save, { name, credits: 1000, transaction: 0 })
      this.tell(name, 'ADD 1000')
    }
    return signIn(shop, name)
  }

  private tell(login: string, row: string): void {
    const rows = this.told.get(login) ?? []
    rows.push(row)
    this.told.set(login, rows)
  }
}

type Client = { name: string; paid: number }

/** From the shortest to the longest. */
export function range(milliseconds: number[]): string {
  return `${seconds(Math.min(...milliseconds))} to ${seconds(Math.max(...milliseconds))}`
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

async function signIn(shop: { url: string }, name: string): Promise<Person> {
  const nobody = new Person(shop, { id: 0, name: '', role: 'dealer', token: '' })
  const { token, role } = await nobody.call(calls.session.login, {
    login_username: name,
    login_password: CREW_PASSWORD,
  })
  return new Person(shop, { id: 0, name, role, token })
}
