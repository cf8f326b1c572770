import type { Fragment, Sql } from './pool.ts'

/**
 * Returns an expression of the primary's timeline. Each promotion of a standby counts it up. The new primary may lack
 * the last transactions of the old one, and give their numbers and revisions to others.
 */
export function timelineOf(sql: Sql): Fragment {
  return sql`substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`
}
