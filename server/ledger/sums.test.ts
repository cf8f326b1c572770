import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import type { TRANSACTION_TYPES } from '../../contract/shapes.ts'
import { runs, seedOf } from '../../test/laws/runs.ts'
import { newClient, type Person, suiteWorld } from '../../test/support/world.ts'
import { begin } from '../postgres/begin.ts'
import { verify } from '../verify/verify.ts'
import { addDays, addMonths, type Day, dayOf } from './calendar.ts'
import { fillSums, sumsOf } from './sums.ts'

const world = await suiteWorld()
const { sql } = world.server
const { sums } = calls.transactions

const addUp = (busy: number, zone = 'UTC') => fillSums(sql, world.clock.now, zone, busy)

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
  {
    arbitrary: fc.record({
      does: fc.constant('let weeks pass'),
      days: fc.integer({ min: 5, max: 25 }),
    }),
    weight: 1,
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
          { from: addDays(first, 12), to: addDays(last, -12) },
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
      'let weeks pass',
    ]
    for (const does of all) expect(done.get(does) ?? 0, does).toBeGreaterThan(2)
    expect(
      (await sql`select from (select distinct began from finished_month) as month`).length,
    ).toBeGreaterThan(2)
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
  if (one.does === 'let weeks pass') {
    world.clock.pass({ days: one.days })
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

/** Goes to the morning of the second day of the next month. */
function beginMonth(): void {
  world.clock.set(`${addMonths(dayOf(world.clock.now, 'UTC'), 1).slice(0, -2)}02T10:00:00.000Z`)
}

describe('a finished day', () => {
  test('is added up once, though several servers want to', async () => {
    beginMonth()
    await addUp(1)
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { months: 2 })
    world.clock.pass({ days: 1 })
    // Who has written the days may then find another server at the months, and ends as if it had written nothing.
    await Promise.all([1, 2, 3].map(() => addUp(1)))
    const rows =
      await sql`select type, transactions, credits from busy_day where account = ${dealer.id} order by type`
    expect(rows).toEqual([
      { type: 'ADD', transactions: 1, credits: 3 },
      { type: 'USED', transactions: 1, credits: 2 },
    ])
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

  test('is never the present day, so that what comes later today is not lost', async () => {
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

  test('that is months ago is still added up, in portions', async () => {
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

describe('a finished month', () => {
  test('is added up for every account, and in it no day a second time', async () => {
    beginMonth()
    const { reseller, dealer } = await world.family({ credits: 9 })
    for (const months of [1, 2]) await world.client(dealer, { months })
    world.clock.pass({ days: 1 })
    await addUp(1)
    await world.client(dealer, { months: 3 })
    beginMonth()
    await world.client(dealer, { months: 1 })
    await addUp(1)
    const rows = await sql`
      select account, type, transactions, credits from finished_month
      where account in (${reseller.id}, ${dealer.id}) order by account, type`
    expect(rows).toEqual([
      { account: reseller.id, type: 'ADD', transactions: 2, credits: 18 },
      { account: reseller.id, type: 'USED', transactions: 3, credits: 6 },
      { account: dealer.id, type: 'ADD', transactions: 1, credits: 9 },
      { account: dealer.id, type: 'USED', transactions: 3, credits: 6 },
    ])
    const used = { type: 'USED', transactions: 4, credits: 7 }
    for (const person of [reseller, dealer])
      expect((await person.call(sums, { type: 'USED' })).data).toEqual([used])
  })

  test('is read row by row in the days of it that a filter selects', async () => {
    beginMonth()
    const first = dayOf(world.clock.now, 'UTC')
    const { dealer } = await world.family({ credits: 9 })
    for (const months of [1, 2, 3]) {
      await world.client(dealer, { months })
      world.clock.pass({ days: 10 })
    }
    beginMonth()
    await addUp(100)
    for (const [from, to, credits] of [
      [0, 0, 1],
      [0, 10, 3],
      [1, 20, 5],
      [-1, 40, 6],
    ] as const) {
      const filter = { type: 'USED', from: addDays(first, from), to: addDays(first, to) } as const
      expect((await dealer.call(sums, filter)).data).toMatchObject([{ credits }])
    }
  })

  test('lies beside a day that after a change of TIME_ZONE lies across its end', async () => {
    beginMonth()
    const { dealer } = await world.family({ credits: 9 })
    beginMonth()
    const last = addDays(dayOf(world.clock.now, 'UTC'), -2)
    await addUp(1)
    beginMonth()
    const next = addDays(dayOf(world.clock.now, 'UTC'), -2)
    expect(addMonths(last, 1).slice(0, 7)).toBe(next.slice(0, 7))
    world.clock.set(`${next}T20:00:00.000Z`)
    await world.client(dealer, { months: 1 })
    world.clock.pass({ hours: 10 })
    await world.client(dealer, { months: 2 })
    await addUp(100)
    world.clock.pass({ days: 2 })
    await addUp(1, 'Asia/Kathmandu')
    const midnight = `${addDays(next, 1)}T00:00:00Z`
    expect(
      await sql`
        select transactions from busy_day
        where account = ${dealer.id} and type = 'USED' and began < ${midnight} and ended > ${midnight}`,
    ).toEqual([{ transactions: 2 }])
    for (const filter of [{}, { to: addDays(next, 1) }])
      expect((await dealer.call(sums, { type: 'USED', ...filter })).data).toEqual([
        { type: 'USED', transactions: 2, credits: 3 },
      ])
    expect((await dealer.call(sums, { type: 'USED', from: addDays(next, 1) })).data).toEqual([
      { type: 'USED', transactions: 1, credits: 2 },
    ])
    // The month after it is kept, and that before it is not in the filter.
    beginMonth()
    await addUp(100)
    const { data } = await dealer.call(sums, { type: 'USED', from: addDays(next, -5) })
    expect(data).toEqual([{ type: 'USED', transactions: 2, credits: 3 }])
  })

  test('keeps the number of rows small that are read for an account that is never busy, however old it is', async () => {
    beginMonth()
    const first = dayOf(world.clock.now, 'UTC')
    const families = [await world.family({ credits: 4_000 }), await world.family({ credits: 16_000 })]
    const [few, many] = families.map(({ dealer }) => dealer) as [Person, Person]
    const born = await world.client(few, { months: 1 })
    await plantRenewals(many, (await world.client(many, { months: 1 })).name, { days: 400, aDay: 35 })
    await plantRenewals(few, born.name, { days: 400, aDay: 9 })
    world.clock.pass({ days: 400 })
    await addUp(1_000)
    await world.server.ownerSql`analyze transfer`
    const inMonth = 31 * 9
    const all = await rowsRead(few, {})
    expect(all.sums).toEqual(await readEach(few, {}))
    expect(all.sums).toContainEqual({ type: 'USED', transactions: 3_601, credits: 3_601 })
    expect(all.read).toBeLessThanOrEqual(inMonth)
    const cut = { from: addDays(first, 14), to: addDays(first, 380) }
    const some = await rowsRead(few, cut)
    expect(some.sums).toEqual(await readEach(few, cut))
    expect(some.read).toBeLessThanOrEqual(2 * inMonth)
  })
})

/** Appends renewals of a client on the days from today, so many on each, as the owner of the database. */
async function plantRenewals(dealer: Person, client: string, { days, aDay }: { days: number; aDay: number }) {
  await world.server.ownerSql`
    insert into transfer (created, type, credits, source, destination, source_balance, destination_balance,
      superreseller, reseller, dealer, client, actor, login, description, expiry, expiry_before, counted_from)
    select ${world.clock.now}::timestamptz + n * interval '1 day' / ${aDay}::int, 'USED', 1, own.id, consumed.id,
      own.balance - n, consumed.balance + n, a.superreseller, a.reseller, a.id, c.id, a.id, c.name, '', now(), now(), now()
    from account a join holding own on own.account = a.id and own.kind = 'balance'
      join holding consumed on consumed.account = a.id and consumed.kind = 'consumed'
      join client c on c.dealer = a.id and c.name = ${client}, generate_series(1, ${days * aDay}::int) n
    where a.id = ${dealer.id} order by n`
}

/** Returns the sums of an account, and how many rows of the ledger were read for them. */
function rowsRead({ id, role }: Person, { from, to }: Filter) {
  return begin(sql, async (sql) => {
    // The connection counts from earlier transactions on.
    const counted = async () => {
      const [row] = await sql<{ read: number }[]>`
        select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'transfer'`
      return row?.read ?? Number.NaN
    }
    const before = await counted()
    const sums = await sumsOf(sql, { id, role }, { from, to, search: '' }, 'UTC')
    return { sums, read: (await counted()) - before }
  })
}
