import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { dayOf } from '../../server/ledger/calendar.ts'
import { fillSums } from '../../server/ledger/sums.ts'
import { fillBranchDays } from '../../server/nouns/growth.ts'
import { fillStatistics } from '../../server/nouns/statistics.ts'
import { PLAYED } from '../../server/verify/guards.ts'
import { verify } from '../../server/verify/verify.ts'
import { newClient, type Person, suiteWorld } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '100' } })

const some = fc.nat({ max: 3 })
const any = fc.nat({ max: 100 })
const months = fc.integer({ min: 1, max: 3 })
const step = fc.oneof(
  kind(8, 'end the day', { late: fc.boolean() }),
  kind(5, 'close a dealer', { at: some }),
  kind(4, 'move a reseller', { at: some, to: some }),
  kind(4, 'move a dealer', { at: some, to: some }),
  kind(6, 'move a client', { client: any, to: some }),
  kind(4, 'delete a client', { client: any }),
  kind(2, 'add a dealer', { at: some }),
  kind(7, 'add a client', { at: some, months: fc.nat({ max: 2 }) }),
  kind(4, 'renew a client', { client: any, months }),
  kind(5, 'take a month back', { client: any }),
  kind(2, 'give credits', { at: some, credits: fc.integer({ min: 1, max: 9 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

function kind<const Does extends string, Fields>(
  weight: number,
  does: Does,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
): { weight: number; arbitrary: fc.Arbitrary<{ does: Does } & fc.RecordValue<Fields, keyof Fields>> } {
  return { weight, arbitrary: fc.record(fields).map((rest) => ({ does, ...rest })) }
}

type Standing = { onDate: string; credits: number; resellers: number; dealers: number; clients: number }
type Grown = { onDate: string; clients: number; used: number }

/**
 * A tree of two superresellers, four resellers and four dealers, what happens to it, and what the lists showed at the
 * end of each day. The lists count what there is, and know of no day.
 */
class Branches {
  readonly superresellers: Person[] = []
  readonly resellers: Person[] = []
  readonly dealers: Person[] = []
  /** The parent of each reseller and dealer, and the dealer of each client. */
  readonly #above = new Map<string, Person>()
  readonly #clients: string[] = []
  /** What was used beneath each account today. */
  #used = new Map<string, number>()
  /** What each superreseller had at the end of each day, and each branch of a superreseller or reseller. */
  readonly #standings = new Map<Person, Standing[]>()
  readonly #growths = new Map<Person, Grown[]>()

  async build(): Promise<void> {
    for (const _ of [1, 2]) this.superresellers.push(await world.child(world.admin, 60))
    for (const above of [...this.superresellers, ...this.superresellers])
      this.resellers.push(await this.#child(above, 20))
    for (const above of this.resellers) this.dealers.push(await this.#child(above, 20))
  }

  async #child(above: Person, credits = 0): Promise<Person> {
    const child = await world.child(above, credits)
    this.#above.set(child.name, above)
    return child
  }

  /** Returns whether it was done: what a rule forbids, as to move a closed account, changes nothing. */
  async take(one: Step): Promise<boolean> {
    const { superresellers, resellers, dealers } = this
    const { admin } = world
    switch (one.does) {
      case 'end the day':
        await this.#note()
        this.#used = new Map()
        world.clock.pass({ days: 1 })
        if (!one.late) await writeDays()
        return true
      case 'close a dealer':
        return succeeded(admin.send(calls.tree.close, { name: at(dealers, one.at).name }))
      case 'move a reseller':
        return this.#move(at(resellers, one.at), at(superresellers, one.to))
      case 'move a dealer':
        return this.#move(at(dealers, one.at), at(resellers, one.to))
      case 'move a client': {
        const client = this.#client(one.client)
        const to = at(dealers, one.to)
        if (!client) return false
        const move = { from: client.dealer.name, to: to.name, clients: [client.name] }
        const moved = await succeeded(admin.send(calls.tree.moveClients, move))
        if (moved) this.#above.set(client.name, to)
        return moved
      }
      case 'delete a client': {
        const client = this.#client(one.client)
        return client !== null && succeeded(admin.send(calls.admin.remove, { name: client.name }))
      }
      case 'add a dealer':
        dealers.push(await this.#child(at(resellers, one.at)))
        return true
      case 'add a client': {
        const input = newClient({ months: one.months })
        const dealer = at(dealers, one.at)
        const added = await this.#use(dealer, one.months, calls.clients.create, input)
        if (added) {
          this.#clients.push(input.login)
          this.#above.set(input.login, dealer)
        }
        return added
      }
      case 'renew a client': {
        const client = this.#client(one.client)
        if (!client) return false
        const renewal = { name: client.name, months: one.months }
        return this.#use(client.dealer, one.months, calls.clients.renew, renewal)
      }
      case 'take a month back': {
        const client = this.#client(one.client)
        if (!client) return false
        return this.#use(client.dealer, -1, calls.clients.retrieve, { login: client.name, credits: 1 })
      }
      case 'give credits': {
        const { name } = at(superresellers, one.at)
        const gift = { name, credits: one.credits, transaction: 0 }
        return succeeded(admin.send(calls.level.superreseller.save, gift))
      }
    }
  }

  /** Holds every day up to now against what the lists showed at its end. */
  async hold(): Promise<void> {
    await this.#note()
    for (const [{ name }, days] of this.#standings)
      expect(await world.admin.call(calls.admin.statistics, { name }), name).toEqual(days)
    for (const [branch, days] of this.#growths) {
      const { onDate, clients, used } = await branch.call(calls.tree.growth)
      const told = onDate.map((day, at) => ({ onDate: day, clients: clients[at], used: used[at] }))
      expect(told, branch.name).toEqual(days)
    }
  }

  async #note(): Promise<void> {
    const onDate = dayOf(world.clock.now, 'UTC')
    const ofAll = await world.admin.call(calls.level.superreseller.list)
    for (const one of this.superresellers) {
      const row = ofAll.data.find(({ name }) => name === one.name)
      if (!row) throw new Error(`${one.name} is not in the list`)
      const { credits, resellers, dealers, clients } = row
      add(this.#standings, one, { onDate, credits, resellers, dealers, clients })
      add(this.#growths, one, { onDate, clients, used: this.#used.get(one.name) ?? 0 })
      const beneath = await one.call(calls.tree.list)
      for (const { name, clients } of beneath.data) {
        const reseller = this.resellers.find((one) => one.name === name)
        if (reseller) add(this.#growths, reseller, { onDate, clients, used: this.#used.get(name) ?? 0 })
      }
    }
  }

  #client(nr: number): { name: string; dealer: Person } | null {
    const name = this.#clients[nr % this.#clients.length]
    const dealer = name === undefined ? undefined : this.#above.get(name)
    return name !== undefined && dealer ? { name, dealer } : null
  }

  async #move(one: Person, to: Person): Promise<boolean> {
    const moved = await succeeded(world.admin.send(calls.tree.move, { name: one.name, to: to.name }))
    if (moved) this.#above.set(one.name, to)
    return moved
  }

  /** Makes a call of a dealer that uses credits, or with a negative number takes them back. */
  async #use(
    dealer: Person,
    credits: number,
    ...[call, input]: Parameters<Person['send']>
  ): Promise<boolean> {
    const done = await succeeded(dealer.send(call, input))
    const path = [this.#above.get(dealer.name), this.#above.get(this.#above.get(dealer.name)?.name ?? '')]
    for (const one of path)
      if (one && done) this.#used.set(one.name, (this.#used.get(one.name) ?? 0) + credits)
    return done
  }
}

/** Notes a day of somebody; what was noted of that day before is replaced. */
function add<Day extends { onDate: string }>(days: Map<Person, Day[]>, of: Person, day: Day): void {
  const others = days.get(of)?.filter(({ onDate }) => onDate !== day.onDate) ?? []
  days.set(of, [...others, day])
}

function at(people: readonly Person[], nr: number): Person {
  return people[nr % people.length] as Person
}

async function succeeded(answer: Promise<{ status: number }>): Promise<boolean> {
  return (await answer).status === 200
}

async function writeDays(): Promise<void> {
  await fillStatistics(world.server.sql, world.clock.now, 'UTC')
  await fillBranchDays(world.server.sql, world.clock.now, 'UTC')
  await fillSums(world.server.sql, world.clock.now, 'UTC', 2)
}

test('a finished day stays what the lists showed at its end, whatever happens later and whenever it is written', {
  timeout: runs(600_000, 1_200_000),
}, async () => {
  const done = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 40 }), async (steps) => {
      const branches = new Branches()
      await branches.build()
      for (const one of steps) if (await branches.take(one)) done.set(one.does, (done.get(one.does) ?? 0) + 1)
      await branches.hold()
      await branches.take({ does: 'end the day', late: false })
      await branches.hold()
      // verify adds up every finished day again, from all that ever happened.
      expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({
        first: null,
        others: [PLAYED],
      })
    }),
    // Each run adds superresellers whose every day is written and proved again, so the time grows with the square.
    { seed: seedOf('the law of finished days'), numRuns: runs(25, 100) },
  )
  // A law whose cases never occur tests nothing.
  for (const does of [
    'end the day',
    'close a dealer',
    'move a reseller',
    'move a dealer',
    'move a client',
    'delete a client',
    'renew a client',
    'take a month back',
  ])
    expect(done.get(does) ?? 0, does).toBeGreaterThan(5)
})
