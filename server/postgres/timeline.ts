import type { Fragment, Sql } from './pool.ts'

/** What each promotion of a standby counts up, after which the same number may stand for something else. */
export function timelineOf(sql: Sql): Fragment {
  return sql`substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`
}
