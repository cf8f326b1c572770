import {
  type Backups,
  type Server,
  type ServerReport,
  TEST_RESTORE_OUTCOMES,
} from '../../../contract/system.ts'
import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { withTimeout } from '../../postgres/timeout.ts'

/** The table is unlogged: no commit waits for a standby. */
export async function tellServer(sql: Sql, { backups, ...report }: ServerReport): Promise<void> {
  const { stopping, clock_offset_ms, database_host, disk_free, disk_least } = report
  const json = backups && sql.json(backups)
  const changing = { stopping, clock_offset_ms, database_host, disk_free, disk_least, backups: json }
  await begin(
    sql,
    (sql) => sql`
      insert into server_process ${sql({ ...report, backups: json })}
      on conflict (id) do update set ${sql(changing)}, seen = moment()`,
    'may be lost',
  )
}

/** Forgets the servers that another has taken the place of: only one can listen at a port of a host. */
export async function replaceServers(
  sql: Sql,
  { id, host, console_port, box_port }: ServerReport,
): Promise<void> {
  await withTimeout(
    sql,
    () => sql`
      select forget_servers(array(
        select id from server_process
        where host = ${host} and id <> ${id}
          and (console_port, box_port) is not distinct from (${console_port}::integer, ${box_port}::integer)))`,
  )
}

export async function forgetServer(sql: Sql, id: string): Promise<void> {
  await withTimeout(sql, () => sql`select forget_servers(array[${id}::uuid])`)
}

/** After how long a server that is not heard of is called gone, in milliseconds. */
const SILENT_MS = 60_000

/**
 * Returns the servers of the database, this one first. What it tells of itself is not read, because it may be unable to
 * write it. Then others may be, too: that they are not heard of says nothing.
 */
export async function serversOf(sql: Sql, { own, now }: { own: ServerReport; now: Date }): Promise<Server[]> {
  const rows = await sql<(Omit<ServerReport, 'backups'> & { seen: string; backups: Backups | null })[]>`
    select id, host, pid, version, node, console_port, box_port, started, seen, stopping, clock_offset_ms, database_host,
      disk_free, disk_least, backups
    from server_process order by started, id`
  const isSilent = ({ seen }: { seen: string }) => now.getTime() - Date.parse(seen) > SILENT_MS
  const isHeard = rows.some((row) => row.id === own.id && !isSilent(row))
  const others = rows.filter(({ id }) => id !== own.id)
  return [{ ...own, seen: now.toISOString() }, ...others].map(({ stopping, ...told }) => {
    const server = { ...told, backups: readable(told.backups) }
    if (isSilent(server)) return { ...server, state: isHeard ? 'gone' : 'unknown' }
    return { ...server, state: stopping ? 'stopping' : 'serving' }
  })
}

/**
 * Another version may tell of no test restore, or of what came of one in a word that this one has not: then its end is
 * not known here.
 */
function readable(backups: Backups | null): Backups | null {
  if (!backups || TEST_RESTORE_OUTCOMES.some((word) => word === backups.test_restore?.outcome)) return backups
  return { ...backups, test_restore: null }
}
