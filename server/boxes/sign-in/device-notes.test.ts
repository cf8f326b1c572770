import { expect, test } from 'vitest'
import { suiteWorld } from '../../../test/support/world.ts'
import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { forgottenAt, hasNotedSerial, takeovers } from './device-notes.ts'

const world = await suiteWorld()

test('what a box was let in by is found without reading the addresses that it had each day for a year', async () => {
  const { dealer } = await world.family({ credits: 1 })
  const { name } = await world.client(dealer, { months: 1 })
  await world.client(dealer)
  const { ownerSql, sql } = world.server
  const [client] = await ownerSql<{ id: number }[]>`select id from client where name = ${name}`
  const id = client?.id ?? 0
  // So many rows of others that PostgreSQL reads the table by an index, as it does where many boxes ask.
  await ownerSql`
    insert into device_history (client, at, event, detail)
    select id, ${world.clock.now}::timestamptz - day * interval '1 day', 'address', '203.0.113.' || day % 256
    from client, generate_series(1, case when id = ${id} then 400 else 4000 end) as day`
  await ownerSql`insert into device_history (client, at, event) values (${id}, ${world.clock.now}, 'reset')`
  await ownerSql`analyze device_history`
  const asked: Record<string, (sql: Sql) => Promise<unknown>> = {
    'when it was reset': (sql) => forgottenAt(sql, [id], world.clock.now),
    'how often others took it over': (sql) => takeovers(sql, id, world.clock.now),
    'its serial numbers': (sql) => hasNotedSerial(sql, id, world.clock.now),
  }
  for (const [what, ask] of Object.entries(asked)) expect(await rowsReadBy(sql, ask), what).toBeLessThan(4)
})

test('boxes that took a client over while the clock was ahead count no more once it is right', async () => {
  const { dealer } = await world.family({ credits: 1 })
  const { name } = await world.client(dealer, { months: 1 })
  const { clock } = world
  const { ownerSql, sql } = world.server
  const [client] = await ownerSql<{ id: number }[]>`select id from client where name = ${name}`
  const id = client?.id ?? 0
  const takeOver = () => ownerSql`
    insert into device_history (client, at, event) values (${id}, ${clock.now}, 'taken over')`
  await takeOver()
  clock.pass({ hours: 2 })
  await takeOver()
  clock.pass({ hours: -2 })
  expect(await takeovers(sql, id, clock.now)).toBe(1)
})

/** Returns how many rows of the history were read. */
function rowsReadBy(sql: Sql, ask: (sql: Sql) => Promise<unknown>): Promise<number> {
  return begin(sql, async (sql) => {
    const read = async () => {
      const [table] = await sql<{ rows: number }[]>`
        select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
        from pg_stat_xact_user_tables where relname = 'device_history'`
      return table?.rows ?? 0
    }
    const before = await read()
    await ask(sql)
    return (await read()) - before
  })
}
