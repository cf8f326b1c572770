import type { Database } from '../../../contract/system.ts'
import { type Connect, hostsOf, type Sql } from '../../postgres/pool.ts'

/** Only a role of `pg_monitor` is told which standby is a synchronous one; for others each counts as one. */
export async function databaseOf(sql: Sql, to: Connect): Promise<Omit<Database, 'writes' | 'clock_behind'>> {
  const [row] = await sql<Omit<Database, 'writes' | 'clock_behind' | 'hosts'>[]>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      host(inet_server_addr()) || ':' || inet_server_port() as host, count(pid)::integer as standbys,
      case
        when current_setting('synchronous_standby_names') = '' then 'off'
        when count(pid) filter (where coalesce(sync_state, 'sync') in ('sync', 'quorum')) > 0 then 'there'
        else 'away'
      end as synchronous
    from (values (1)) one left join pg_stat_replication on coalesce(state, 'streaming') = 'streaming'`
  if (!row) throw new Error('The database tells nothing of itself.')
  return { ...row, hosts: typeof to === 'string' ? hostsOf(to).length : 1 }
}

export async function sizeOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ size: number }[]>`select pg_database_size(current_database()) as size`
  return row?.size ?? 0
}

export async function schemaOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ schema: string }[]>`
    select left(value, 8) as schema from setup where key = 'schema'`
  return row?.schema ?? ''
}
