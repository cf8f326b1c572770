import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { begin } from '../../server/postgres/begin.ts'
import type { Sql } from '../../server/postgres/pool.ts'
import { timed } from '../timed.ts'
import {
  CLIENT_COLUMNS,
  DEVICE_COLUMNS,
  SERVICE_COLUMNS,
  type Simulation,
  TRANSFER_COLUMNS,
} from './simulation.ts'

/**
 * Writes a whole business in one transaction. Triggers are off, because they would run for every row; the indexes are
 * dropped and built again at the end.
 * @param sql a pool of the superuser
 */
export async function load(
  sql: Sql,
  simulation: Simulation,
  seal: (password: string, client: number) => Buffer,
  say: (line: string) => void,
): Promise<void> {
  await begin(sql, async (sql) => {
    await sql`
      select set_config('session_replication_role', 'replica', true), set_config('maintenance_work_mem', '1GB', true),
        set_config('max_parallel_maintenance_workers', '2', true)`
    const indexes = await dropIndexes(sql)
    // With what refers to clients, which is empty.
    await sql`truncate transfer, mac_trial, directory, client cascade`
    await copy('transfer', TRANSFER_COLUMNS, simulation.ledger())
    await copy('client', CLIENT_COLUMNS, simulation.clients(seal))
    await copy('service', SERVICE_COLUMNS, simulation.services())
    await copy('device', DEVICE_COLUMNS, simulation.devices())
    const holdings = [...simulation.balances]
    await sql`
      update holding set balance = made.balance
      from unnest(${holdings.map(([id]) => id)}::bigint[], ${holdings.map(([, balance]) => balance)}::bigint[])
        as made (id, balance)
      where holding.id = made.id`
    await sql`
      select setval(pg_get_serial_sequence('transfer', 'id'), ${simulation.transfers}),
        setval(pg_get_serial_sequence('client', 'id'), ${simulation.clientsMade})`
    await sql`select rebuild_lists()`
    for (const { name, definition } of indexes) await step(name, () => sql.unsafe(definition))

    async function copy(table: string, columns: string, pieces: Iterable<string>): Promise<void> {
      await step(table, async () => {
        const into = await sql.unsafe(`copy ${table} (${columns}) from stdin (freeze)`).writable()
        await pipeline(Readable.from(pieces), into)
      })
    }
  })
  await step('analyze', () => sql`analyze`)
  await sql`checkpoint`

  async function step(what: string, work: () => PromiseLike<unknown>): Promise<void> {
    say(`  ${what}: ${((await timed(work)) / 1000).toFixed(1)} s`)
  }
}

/** Drops the indexes that belong to no constraint. Returns their definitions. */
async function dropIndexes(sql: Sql): Promise<{ name: string; definition: string }[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = any ('{transfer, client, service, directory, device}'::regclass[])
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by indexrelid`
  for (const { name } of indexes) await sql`drop index ${sql(name)}`
  return indexes
}
