import { expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { CLIENT_FILTERS, type ClientFilter } from '../../../contract/clients.ts'
import { suiteWorld } from '../../../test/support/world.ts'
import type { Sql } from '../../postgres/pool.ts'
import { countsByState, countsInState } from '../../tree/client-counts.ts'
import { isIn } from '../../tree/selection.ts'

const world = await suiteWorld()

/** Clients that are switched off: one is renewed then, one switched on, one deleted, and one is left as it is. */
const OFF = ['first-7', 'first-8', 'first-9', 'first-10']

/** Returns the numbers of clients by expiry: those that are there, and those that are kept for the admin's lists. */
async function bothCounts(sql: Sql) {
  return Promise.all([
    sql`select expiry, count(*) as clients from service group by 1 order by 1`,
    sql`select expiry, sum(clients) as clients from total_count group by 1 having sum(clients) <> 0 order by 1`,
  ])
}

/** Returns the clients that are switched off: those that are there, and those that are listed. */
async function bothSwitchedOff(sql: Sql) {
  return Promise.all([
    sql`
      select s.dealer, s.expiry, s.client from service s join client c on c.id = s.client where not c.active order by client`,
    sql`select dealer, expiry, client from switched_off order by client`,
  ])
}

/** Returns the numbers of clients in a state by dealer: those that are there, and those that are kept. */
async function bothByDealer(sql: Sql, filter: ClientFilter) {
  const { now } = world.clock
  return Promise.all([
    sql`
      select s.dealer, count(*) as clients from service s where ${isIn(sql, filter, now, sql`s`)} group by 1 order by 1`,
    sql`
      select k.account as dealer, sum(k.clients) as clients from (${countsInState(sql, filter, now)}) k
      join account a on a.id = k.account and a.role = 'dealer' group by 1 having sum(k.clients) <> 0 order by 1`,
  ])
}

/** Returns the numbers of clients in every state by dealer, and beneath each superreseller: there, and kept. */
async function bothByState(sql: Sql) {
  const { now } = world.clock
  const inState = (filter: ClientFilter) => sql`count(*) filter (where ${isIn(sql, filter, now, sql`s`)})`
  return Promise.all([
    sql`
      select a.id, count(*) as "all", ${inState('active')} as active, ${inState('expiring')} as expiring,
        ${inState('expired')} as expired
      from service s join account d on d.id = s.dealer join account a on a.id in (d.id, d.superreseller) group by 1 order by 1`,
    sql`
      select account as id, sum("all") as "all", sum(active) as active, sum(expiring) as expiring, sum(expired) as expired
      from (${countsByState(sql, now, sql`select id from account`)}) k group by 1 having sum("all") <> 0 order by 1`,
  ])
}

test('the counts of all clients stay exact while clients change, and their changes are settled and forgotten', async () => {
  const { ownerSql } = world.server
  const [one, two] = [await world.family({ credits: 50 }), await world.family({ credits: 50 })]
  const expectExact = async () => {
    const [there, kept] = await bothCounts(ownerSql)
    expect(there.length).toBeGreaterThan(0)
    expect(kept).toEqual(there)
    for (const filter of CLIENT_FILTERS) {
      const [byDealer, keptByDealer] = await bothByDealer(ownerSql, filter)
      expect(keptByDealer, filter).toEqual(byDealer)
    }
    const [byState, keptByState] = await bothByState(ownerSql)
    expect(keptByState).toEqual(byState)
    const [off, listedOff] = await bothSwitchedOff(ownerSql)
    expect(listedOff).toEqual(off)
  }
  const steps = [
    () => world.plantClients(one.dealer, { prefix: 'first-', last: 30 }),
    () => world.client(two.dealer, { login: 'renewed' }),
    () => two.dealer.call(calls.clients.renew, { name: 'renewed', months: 3 }),
    () => one.dealer.call(calls.clients.multisave, { clients: OFF, status: false }),
    () => one.dealer.call(calls.clients.renew, { name: 'first-8', months: 1 }),
    () => one.dealer.call(calls.clients.save, { login: 'first-9', status: true }),
    () => world.setExpiry('first-10', '2026-04-01T23:59:59.000Z'),
    () => one.dealer.call(calls.clients.remove, { name: 'first-10' }),
    () => ownerSql`select settle_counts(3)`,
    () => world.setExpiry('first-1', '2026-04-01T23:59:59.000Z'),
    // One ended in this month, and one in a month before.
    () => world.setExpiry('first-2', new Date(world.clock.now.getTime() - 1).toISOString()),
    () => world.setExpiry('first-3', '2020-01-01T00:00:00.000Z'),
    () => ownerSql`select settle_counts(1000)`,
    () => one.dealer.call(calls.clients.remove, { name: 'first-1' }),
    // Two servers settle at once.
    () => Promise.all([1, 2].map(() => world.server.sql`select settle_counts(1000)`)),
    () => ownerSql`select forget_empty_counts('2026-05-01')`,
    () => world.admin.call(calls.tree.move, { name: one.reseller.name, to: two.superreseller.name }),
    () => ownerSql`select settle_counts(1000)`,
    () => ownerSql`select rebuild_lists()`,
    // Those who expire within days do so in this month and in the next.
    async () => world.clock.set('2026-05-28T10:00:00.000Z'),
    () => world.setExpiry('first-4', '2026-05-30T23:59:59.000Z'),
    () => world.setExpiry('first-5', '2026-06-02T23:59:59.000Z'),
    () => ownerSql`select settle_counts(1000)`,
  ]
  for (const step of steps) {
    await step()
    await expectExact()
  }
  const [left] = await ownerSql`
    select (select count(*) from count_change) as changes, (select count(*) from settled_total where clients = 0) as empty,
      (select count(*) from settled_month where clients = 0) as idle`
  expect(left).toEqual({ changes: 0, empty: 0, idle: 0 })
})
