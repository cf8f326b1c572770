import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { HOUR_MS } from '../../contract/time.ts'
import { openWorld, Person, suiteWorld } from '../../test/support/world.ts'
import { addDays, dayOf, startOf } from '../ledger/calendar.ts'
import { fillBranchDays } from './growth.ts'

const { growth } = calls.tree
const ZONE = 'Europe/Lisbon'

const world = await suiteWorld({ env: { TIME_ZONE: ZONE } })

/** Lets a branch live for four days: clients come, are renewed, taken back and deleted. */
async function liveFourDays() {
  const family = await world.family({ credits: 90 })
  const { superreseller, dealer } = family
  const elsewhere = await world.child(await world.child(superreseller))
  const first = await world.client(dealer, { months: 3 })
  world.clock.pass({ days: 1 })
  await world.client(dealer)
  await world.client(elsewhere)
  await dealer.call(calls.clients.retrieve, { login: first.name, credits: 1 })
  world.clock.pass({ days: 2 })
  await world.admin.call(calls.admin.remove, { name: first.name })
  await world.client(dealer, { months: 2 })
  return family
}

describe('the growth of a branch', () => {
  test.each([
    ['read from the ledger', async () => {}],
    ['read from the rows of finished days', () => fillBranchDays(world.server.sql, world.clock.now, ZONE)],
  ])('is %s: its clients at the end of each day, and what was used during it', async (_how, prepare) => {
    const { superreseller, reseller } = await liveFourDays()
    await prepare()
    const last = async (person: Person) => {
      const { onDate, clients, used } = await person.call(growth)
      expect(onDate.at(-1)).toBe(world.clock.now.toISOString().slice(0, 10))
      return [clients.slice(-4), used.slice(-4)]
    }
    expect(await last(reseller)).toEqual([
      [1, 2, 2, 2],
      [3, -1, 0, 2],
    ])
    expect(await last(superreseller)).toEqual([
      [1, 3, 3, 3],
      [3, -1, 0, 2],
    ])
    world.clock.pass({ days: 1 })
  })

  test('of the admin is that of all superresellers together', async () => {
    const one = await liveFourDays()
    const before = await world.admin.call(growth)
    await world.client(one.dealer, { months: 5 })
    const after = await world.admin.call(growth)
    expect(after.clients.at(-1)).toBe((before.clients.at(-1) ?? 0) + 1)
    expect(after.used.at(-1)).toBe((before.used.at(-1) ?? 0) + 5)
  })

  test.each([
    ['on the same day', async () => {}],
    ['once that day is finished', () => world.clock.pass({ days: 1 })],
    [
      'once that day has its rows',
      async () => {
        world.clock.pass({ days: 1 })
        await fillBranchDays(world.server.sql, world.clock.now, ZONE)
      },
    ],
  ])(
    'of the admin keeps what was used beneath a superreseller that is closed then: %s',
    async (_when, later) => {
      const { superreseller, reseller, dealer } = await world.family({ credits: 9 })
      const other = await world.child(world.admin)
      const day = world.clock.now.toISOString().slice(0, 10)
      const usedOnIt = async () => {
        const { onDate, used } = await world.admin.call(growth)
        return used[onDate.indexOf(day)]
      }
      await world.client(dealer, { months: 7 })
      const before = await usedOnIt()
      await world.admin.call(calls.tree.move, { name: reseller.name, to: other.name })
      await world.admin.call(calls.tree.close, { name: superreseller.name })
      await later()
      expect(await usedOnIt()).toBe(before)
      expect(before).toBeGreaterThanOrEqual(7)
    },
  )

  test('has one row for each finished day, written once', async () => {
    await liveFourDays()
    const { sql } = world.server
    await fillBranchDays(sql, world.clock.now, ZONE)
    const rows = await sql`select * from branch_day order by account, day`
    expect(await fillBranchDays(sql, world.clock.now, ZONE)).toBe(0)
    expect(await sql`select * from branch_day order by account, day`).toEqual(rows)
    world.clock.pass({ days: 1 })
    expect(await fillBranchDays(sql, world.clock.now, ZONE)).toBeGreaterThan(0)
  })

  test.each(['Pacific/Pago_Pago', 'America/Bogota', 'Pacific/Kiritimati'])(
    'goes on from what was written when the zone becomes %s',
    async (zone) => {
      // Yesterday has its row, and is today further west.
      world.clock.set(new Date(Date.parse(startOf(addDays(dayOf(world.clock.now, ZONE), 1), ZONE)) + HOUR_MS))
      const { superreseller, dealer } = await liveFourDays()
      await fillBranchDays(world.server.sql, world.clock.now, ZONE)
      await world.client(dealer)
      const moved = await openWorld({
        clock: world.clock,
        database: world.server.database,
        env: { TIME_ZONE: zone },
      })
      const { onDate, clients } = await new Person(moved.server, superreseller).call(growth)
      expect(onDate.at(-1)).toBe(dayOf(world.clock.now, zone))
      expect(onDate).toEqual([...new Set(onDate)].sort())
      expect(clients.at(-1)).toBe(4)
      await moved.server.close()
    },
  )
})
