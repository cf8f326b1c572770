import type { Sql } from './pool.ts'

/**
 * Returns eight digits that tell one database from another. A standby has the mark of its primary, and a database that
 * was restored another one. The names of backups have it: two databases that share a folder, as a business and its copy
 * for tests, count and remove only their own.
 */
export async function markOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ mark: string }[]>`
    select left(md5(c.system_identifier || ' ' || d.oid), 8) as mark
    from pg_control_system() c, pg_database d where d.datname = current_database()`
  return row?.mark ?? ''
}
