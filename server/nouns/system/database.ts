import type { Database } from '../../../contract/system.ts'
import { type Connect, hostsOf, type Sql } from '../../postgres/pool.ts'

/**
 * A standby is a physical one that replays what it receives: programs that only store the log, and subscribers to some
 * tables, take nobody's place. Only a role of `pg_monitor` is told which connections replay, and for which a COMMIT
 * waits. For any other role each connection counts as a standby for which a COMMIT waits, unless its name is that of
 * such a program.
 */
export async function databaseOf(sql: Sql, to: Connect): Promise<Omit<Database, 'writes' | 'clock_behind'>> {
  const [row] = await sql<Omit<Database, 'writes' | 'clock_behind' | 'hosts'>[]>`
    with standby as (
      select r.sync_state from pg_stat_replication r join pg_stat_activity a using (pid)
      where coalesce(r.state, 'streaming') = 'streaming' and a.datid is null
        and case when r.state is null then r.application_name !~ ${STORING} else r.replay_lsn is not null end
    )
    select split_part(current_setting('server_version'), ' ', 1) as version,
      host(inet_server_addr()) || ':' || inet_server_port() as host,
      (select count(*)::integer from standby) as standbys,
      case
        when current_setting('synchronous_standby_names') = '' then 'off'
        when exists (select from pg_stat_replication where sync_state in ('sync', 'quorum'))
          or exists (select from standby where sync_state is null) then 'there'
        else 'away'
      end as synchronous`
  if (!row) throw new Error('The database tells nothing of itself.')
  return { ...row, hosts: typeof to === 'string' ? hostsOf(to).length : 1 }
}

/** The names with which programs connect by themselves that store the log, or copy a whole server. */
const STORING = '^(pg_receivewal|pg_basebackup|barman)'

export async function sizeOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ size: number }[]>`select pg_database_size(current_database()) as size`
  return row?.size ?? 0
}

export async function schemaOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ schema: string }[]>`
    select left(value, 8) as schema from setup where key = 'schema'`
  return row?.schema ?? ''
}
