import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import type { TRANSACTION_TYPES } from '../../contract/shapes.ts'
import { runs, seedOf } from '../../test/laws/runs.ts'
import { newClient, type Person, suiteWorld } from '../../test/support/world.ts'
import { verify } from '../verify/verify.ts'
import { fillBusyDays } from './busy-days.ts'
import { addDays, type Day, dayOf } from './calendar.ts'

const world = await suiteWorld()
const { sql } = world.server
const { sums } = calls.transactions

const addUp = (busy: number, zone = 'UTC') => fillBusyDays(sql, world.clock.now, zone, busy)

/** Adds up, row by row, what an account may see of the days of UTC. */
async function readEach({ id, role }: Person, { type, from, to }: Filter) {
  const path = sql(role === 'admin' ? 'id' : role)
  const origin = sql(role === 'admin' ? 'id' : `from_${role}`)
  return sql`
    select type, count(*) as transactions, sum(credits)::bigint as credits from transfer
    where ${role === 'admin' ? sql`true` : sql`(${path} = ${id} or ${origin} = ${id})`}
      and type = coalesce(${type ?? null}, type)
      and created >= ${from ?? '1970-01-01'}::date and created < ${to ? addDays(to, 1) : '9999-01-01'}::date
    group by type order by type`
}

type Filter = { type?: (typeof TRANSACTION_TYPES)[number]; from?: Day; to?: Day }

const some = fc.nat({ max: 3 })
const act = fc.oneof(
  {
    arbitrary: fc.record({
      does: fc.constantFrom(...(['create', 'create', 'renew', 'renew', 'retrieve', 'delete'] as const)),
      at: some,
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      does: fc.constantFrom('move the clients', 'move the dealer'),
      at: some,
      to: some,
    }),
    weight: 2,
  },
  {
    // With 0, the day is not added up before a later one is.
    arbitrary: fc.record({
      does: fc.constant('end the day'),
      busy: fc.integer({ min: 0, max: 5 }),
      zone: fc.constantFrom('UTC', 'UTC', 'Asia/Kathmandu'),
    }),
    weight: 2,
  },
)
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never

test(
  'what was added up once is what the rows add up to, whatever was moved and whenever the days were finished',
  async () => {
    const done = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 25, maxLength: 25 }), async (acts) => {
        const families = [
          await world.family({ credits: 60, to: 'reseller' }),
          await world.family({ credits: 60, to: 'reseller' }),
        ]
        const resellers = families.map(({ reseller }) => reseller)
        const dealers: Person[] = []
        for (const reseller of [...resellers, ...resellers]) dealers.push(await world.child(reseller, 30))
        // Of six months some can be taken back, however the clients are moved.
        for (const dealer of dealers) await world.client(dealer, { months: 6 })
        const first = dayOf(world.clock.now, 'UTC')
        for (const one of acts)
          if (await take(one, dealers, resellers)) done.set(one.does, (done.get(one.does) ?? 0) + 1)
        const last = dayOf(world.clock.now, 'UTC')
        const filters: Filter[] = [
          {},
          { from: first, to: last },
          { from: addDays(first, 1), to: addDays(last, -1) },
          { to: addDays(first, 1) },
          { from: last },
          { type: 'USED' },
          { type: 'MOVE', from: first },
        ]
        const people = [
          world.admin,
          ...families.flatMap(({ superreseller, reseller }) => [superreseller, reseller]),
        ]
        for (const person of [...people, ...dealers]) {
          for (const filter of filters.filter(({ from, to }) => !from || !to || from <= to))
            expect((await person.call(sums, filter)).data).toEqual(await readEach(person, filter))
        }
      }),
      { seed: seedOf('the sums of finished days'), numRuns: runs(10, 100) },
    )
    const all = [
      'create',
      'renew',
      'retrieve',
      'delete',
      'move the clients',
      'move the dealer',
      'end the day',
    ]
    for (const does of all) expect(done.get(does) ?? 0, does).toBeGreaterThan(2)
    expect((await verify(sql, 'boxtree_server')).others.filter((one) => /add up/.test(one))).toEqual([])
  },
  runs(600_000, 1_800_000),
)

/** Returns whether it was done: what a rule forbids, as to take back what was never used, changes nothing. */
async function take(one: Act, dealers: readonly Person[], resellers: readonly Person[]): Promise<boolean> {
  if (one.does === 'end the day') {
    world.clock.pass({ days: 1, hours: 7 })
    if (one.busy > 0) await addUp(one.busy, one.zone)
    return true
  }
  const dealer = at(dealers, one.at)
  const { data } = await dealer.call(calls.clients.list, { per_page: 1 })
  const name = data[0]?.name ?? ''
  const answer = await (async () => {
    switch (one.does) {
      case 'create':
        return dealer.send(calls.clients.create, newClient({ months: 2 }))
      case 'renew':
        return dealer.send(calls.clients.renew, { name, months: 1 })
      case 'retrieve':
        return dealer.send(calls.clients.retrieve, { login: name, credits: 1 })
      case 'delete':
        // Only an expired client can be deleted.
        await world.setExpiry(name, '2020-01-01T00:00:00Z')
        return dealer.send(calls.clients.remove, { name })
      case 'move the clients':
        return world.admin.send(calls.tree.moveClients, { from: dealer.name, to: at(dealers, one.to).name })
      case 'move the dealer':
        return world.admin.send(calls.tree.move, { name: dealer.name, to: at(resellers, one.to).name })
    }
  })()
  return answer.status === 200
}

function at(people: readonly Person[], nr: number): Person {
  return people[nr % people.length] as Person
}

describe('a finished day', () => {
  test('is added up once, by one of the servers that want to', async () => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { months: 2 })
    world.clock.pass({ days: 1 })
    const written = await Promise.all([1, 2, 3].map(() => addUp(1)))
    expect(written.filter(Boolean)).toHaveLength(1)
    expect(await addUp(1)).toBe(0)
  })

  test('is read row by row where an account had fewer transactions than are added up', async () => {
    const { reseller, dealer } = await world.family({ credits: 3 })
    for (const months of [1, 2]) await world.client(dealer, { months })
    world.clock.pass({ days: 1 })
    await addUp(4)
    const rows = await sql`
      select account, type, transactions, credits from busy_day where account in (${reseller.id}, ${dealer.id}) order by type`
    expect(rows).toEqual([
      { account: reseller.id, type: 'ADD', transactions: 2, credits: 6 },
      { account: reseller.id, type: 'USED', transactions: 2, credits: 3 },
    ])
    expect((await dealer.call(sums, { type: 'USED' })).data).toEqual([
      { type: 'USED', transactions: 2, credits: 3 },
    ])
  })

  test('of today is not added up, nor what is added later lost', async () => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { months: 1 })
    await addUp(1)
    expect(await sql`select from busy_day where account = ${dealer.id}`).toHaveLength(0)
    await world.client(dealer, { months: 2 })
    world.clock.pass({ days: 2 })
    await addUp(1)
    expect((await dealer.call(sums, { type: 'USED' })).data).toEqual([
      { type: 'USED', transactions: 2, credits: 3 },
    ])
  })

  test('after which months have passed is added up with them, a portion after the other', async () => {
    const { dealer } = await world.family({ credits: 9 })
    const { name } = await world.client(dealer, { months: 1 })
    for (const _ of [1, 2]) {
      world.clock.pass({ days: 40 })
      await dealer.call(calls.clients.renew, { name, months: 1 })
    }
    world.clock.pass({ days: 40 })
    await addUp(1)
    const rows = await sql<{ began: Date; ended: Date; credits: number }[]>`
      select began, ended, credits from busy_day where account = ${dealer.id} and type = 'USED' order by began`
    expect(rows.map(({ credits }) => credits)).toEqual([1, 1, 1])
    for (const { began, ended } of rows.slice(1))
      expect(new Date(ended).getTime() - new Date(began).getTime()).toBe(86_400_000)
    expect((await dealer.call(sums, { type: 'USED' })).data).toEqual([
      { type: 'USED', transactions: 3, credits: 3 },
    ])
  })
})
