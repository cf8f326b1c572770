import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Clock, openWorld, type Person, type World } from '../../test/support/world.ts'
import { addDays, dayOf, startOf } from '../ledger/calendar.ts'
import { daysFrom } from '../ledger/days.ts'
import { fillStatistics } from './statistics.ts'

vi.mock('../ledger/days.ts', async (original) => {
  const days = await original<typeof import('../ledger/days.ts')>()
  return { ...days, daysFrom: vi.fn(days.daysFrom) }
})

const { statistics, chart, totals, remove } = calls.admin
const ZONE = 'Europe/Lisbon'

type Day = { onDate: string; credits: number; resellers: number; dealers: number; clients: number }

/** Returns the present figures from the list of superresellers, which counts everything each time. */
async function standing(world: World, zone = ZONE): Promise<Map<string, Day>> {
  const { data } = await world.admin.call(calls.level.superreseller.list)
  const onDate = dayOf(world.clock.now, zone)
  return new Map(
    data.map(({ name, credits, resellers, dealers, clients }) => [
      name,
      { onDate, credits, resellers, dealers, clients },
    ]),
  )
}

async function written(world: World): Promise<number> {
  const [row] = await world.server.sql<{ count: number }[]>`select count(*) from statistic`
  return row?.count ?? 0
}

describe('the statistics of a week', () => {
  let world: World
  /** The figures at the end of each day, by superreseller. */
  const ended = new Map<string, Day[]>()

  beforeAll(async () => {
    // Clocks go forward in the night to the third of these days.
    world = await openWorld({ clock: new Clock('2026-03-27T23:30:00.000Z'), env: { TIME_ZONE: ZONE } })
    const first = await world.family({ credits: 60 })
    await endDay()
    const second = await world.family({ credits: 40 })
    const client = await world.client(first.dealer, { months: 1 })
    await world.client(second.dealer)
    await endDay()
    await world.admin.call(remove, { name: client.name })
    await world.give(world.admin, second.superreseller, 500)
    await world.child(second.superreseller)
    await endDay()
    await endDay()
    await world.child(first.reseller)
    await world.client(first.dealer, { months: 2 })
    await world.admin.call(calls.level.superreseller.save, {
      name: second.superreseller.name,
      credits: 200,
      transaction: 1,
    })
    await endDay()
    await world.client(second.dealer)
  })
  afterAll(() => world.close())

  /** Sets the clock to the last moment of the day, records the figures, and goes on to the first moment of the next. */
  async function endDay(): Promise<void> {
    const today = dayOf(world.clock.now, ZONE)
    world.clock.set(new Date(Date.parse(startOf(addDays(today, 1), ZONE)) - 1))
    for (const [name, day] of await standing(world)) ended.set(name, [...(ended.get(name) ?? []), day])
    world.clock.pass({ ms: 1 })
  }

  async function holds(): Promise<void> {
    const today = await standing(world)
    for (const [name, days] of ended) {
      const rows = await world.admin.call(statistics, { name })
      expect(rows).toEqual([...days, today.get(name)])
      expect(await world.admin.call(chart, { name: name.toUpperCase() })).toEqual({
        onDate: rows.map(({ onDate }) => onDate),
        clients: rows.map(({ clients }) => clients),
      })
    }
    const sums = new Map<string, number>()
    for (const { onDate, clients } of [...[...ended.values()].flat(), ...today.values()]) {
      sums.set(onDate, (sums.get(onDate) ?? 0) + clients)
    }
    expect(await world.admin.call(totals)).toEqual({
      onDate: [...sums.keys()].sort(),
      clients: valuesInOrder(sums),
    })
  }

  function valuesInOrder(sums: Map<string, number>): number[] {
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  }

  const all = () => [...ended.values()].flat().length

  test('are right before any row was written', async () => {
    expect(await written(world)).toBe(0)
    await holds()
  })

  test('are written by exactly one of several servers, and the answers stay the same', async () => {
    const { sql } = world.server
    const fills = await Promise.all(
      Array.from({ length: 4 }, () => fillStatistics(sql, world.clock.now, ZONE)),
    )
    expect(fills.reduce<number>((sum, rows) => sum + (rows ?? 0), 0)).toBe(all())
    expect(await written(world)).toBe(all())
    await holds()
  })

  test('are not written a second time', async () => {
    expect(await fillStatistics(world.server.sql, world.clock.now, ZONE)).toBe(0)
  })

  test('are written for missing days, the first, the last or between', async () => {
    for (const missing of ['2026-03-27', '2026-03-29', '2026-03-31']) {
      const { count } = await world.server.ownerSql`delete from statistic where day = ${missing}`
      if (missing === '2026-03-31') await holds()
      expect(await fillStatistics(world.server.sql, world.clock.now, ZONE)).toBe(count)
      await holds()
    }
  })

  test('of finished days stay as they were written', async () => {
    const { ownerSql, sql } = world.server
    await ownerSql`update statistic set clients = 77 where day = '2026-03-28'`
    await fillStatistics(sql, world.clock.now, ZONE)
    const [row] = await sql<{ clients: number }[]>`select max(clients) as clients from statistic`
    expect(row?.clients).toBe(77)
    await ownerSql`delete from statistic where day = '2026-03-28'`
    await fillStatistics(sql, world.clock.now, ZONE)
    await holds()
  })

  test('have no stored row of today until it has ended', async () => {
    const { sql } = world.server
    const days = await sql<{ day: string }[]>`select distinct day from statistic order by day`
    expect(days.at(-1)?.day).toBe('2026-03-31')
    expect(dayOf(world.clock.now, ZONE)).toBe('2026-04-01')
  })

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Tokyo'])(
    'go on from what was written when the zone becomes %s',
    async (zone) => {
      const moved = await openWorld({
        clock: world.clock,
        database: world.server.database,
        env: { TIME_ZONE: zone },
      })
      for (const [name, today] of await standing(moved, zone)) {
        const rows = await moved.admin.call(statistics, { name })
        expect(rows.at(-1)).toEqual(today)
        const days = rows.map(({ onDate }) => onDate)
        expect(days).toEqual([...new Set(days)].sort())
      }
      await moved.server.close()
    },
  )

  test('can be read for direct children only', async () => {
    const { reseller, dealer } = await world.family()
    for (const name of [reseller.name, dealer.name, world.admin.name, 'nobody', "x' or true --"]) {
      await world.admin.refused('not_found', statistics, { name })
      await world.admin.refused('not_found', chart, { name })
    }
  })
})

describe('a day of the statistics', () => {
  test.each([
    // Midnight was skipped here: the day began at 01:00.
    ['America/Sao_Paulo', '2018-11-04T02:59:59.999Z', '2018-11-03', '2018-11-04'],
    // The hour before midnight happened twice: the day ended after the second.
    ['America/Sao_Paulo', '2018-02-18T02:59:59.999Z', '2018-02-17', '2018-02-18'],
    // The hour after midnight happened twice: the day began with the first.
    ['America/Havana', '2018-11-04T03:59:59.999Z', '2018-11-03', '2018-11-04'],
    ['Asia/Kathmandu', '2026-05-01T18:14:59.999Z', '2026-05-01', '2026-05-02'],
  ])('in %s ends at %s', async (zone, last, day, next) => {
    const clock = new Clock(last)
    const world = await openWorld({ clock, env: { TIME_ZONE: zone } })
    try {
      const { superreseller, dealer } = await world.family({ credits: 5 })
      await world.client(dealer, { months: '2d' })
      clock.pass({ ms: 1 })
      await world.client(dealer, { months: '2d' })
      const expected = [
        { onDate: day, credits: 0, resellers: 1, dealers: 1, clients: 1 },
        { onDate: next, credits: 0, resellers: 1, dealers: 1, clients: 2 },
      ]
      expect(await world.admin.call(statistics, { name: superreseller.name })).toEqual(expected)
      expect(await fillStatistics(world.server.sql, clock.now, zone)).toBe(1)
      expect(await world.admin.call(statistics, { name: superreseller.name })).toEqual(expected)
    } finally {
      await world.close()
    }
  })
})

test('the statistics go on from the newest rows, also when superresellers were closed long before', async () => {
  const clock = new Clock('2026-03-27T12:00:00.000Z')
  const world = await openWorld({ clock, env: { TIME_ZONE: ZONE } })
  try {
    const close = ({ name }: Person) => world.admin.call(calls.tree.close, { name })
    const { dealer } = await world.family({ credits: 5 })
    const second = await world.child(world.admin)
    await close(await world.child(world.admin))
    clock.pass({ days: 1 })
    await close(second)
    await world.client(dealer)
    clock.pass({ days: 10 })
    const counted = await world.admin.call(totals)
    expect(counted).toMatchObject({ clients: [0, ...Array.from({ length: 11 }, () => 1)] })
    expect(await fillStatistics(world.server.sql, clock.now, ZONE)).toBe(12)
    expect(await world.admin.call(totals)).toEqual(counted)
    expect(vi.mocked(daysFrom).mock.results.at(-1)?.value).toMatchObject({
      days: ['2026-04-06', '2026-04-07'],
    })
  } finally {
    await world.close()
  }
})

describe('without any superreseller', () => {
  let world: World
  let admin: Person
  beforeAll(async () => {
    world = await openWorld()
    admin = world.admin
  })
  afterAll(() => world.close())

  test('the statistics have no totals, and no row is written', async () => {
    expect(await admin.call(totals)).toEqual({ onDate: [], clients: [] })
    expect(await fillStatistics(world.server.sql, world.clock.now, ZONE)).toBe(0)
  })
})
