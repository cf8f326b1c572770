import type { PendingQuery, Row } from 'postgres'
import { DAY_MS } from '../../contract/time.ts'
import { KEPT } from '../corridor/idempotency.ts'
import { begin } from '../postgres/begin.ts'
import { LOCKS } from '../postgres/locks.ts'
import type { Sql } from '../postgres/pool.ts'

/**
 * Removes what nobody asks for any more: ended sessions, tries of a login older than any limit looks back, spent
 * captchas that would be refused by their age alone, kept answers and tickets past their time.
 * Answers how many rows of each; nothing while another server is at it.
 */
export async function cleanUp(sql: Sql, now: Date, isStopped = () => false): Promise<Record<string, number>> {
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const old: Record<string, PendingQuery<Row[]>> = {
    // Before the sessions, which would take theirs along uncounted.
    export_ticket: sql`expiry <= ${now}`,
    session: sql`expiry <= ${now}`,
    login_try: sql`tried <= ${ago(31 * DAY_MS)}`,
    captcha_used: sql`expiry <= ${now}`,
    answer: sql`created <= ${ago(KEPT)}`,
  }
  const removed: Record<string, number> = {}
  for (const [table, which] of Object.entries(old)) {
    let count: number | null = AT_ONCE
    while (count === AT_ONCE && !isStopped()) {
      count = await remove(sql, table, which)
      removed[table] = (removed[table] ?? 0) + (count ?? 0)
    }
  }
  await sql`select forget_empty_counts(${ago(DAY_MS)})`
  return removed
}

/** Rows of one transaction: few enough that nobody waits for it. */
const AT_ONCE = 5_000

async function remove(sql: Sql, table: string, which: PendingQuery<Row[]>): Promise<number | null> {
  return begin(sql, async (sql) => {
    const [lock] = await sql<{ mine: boolean }[]>`select pg_try_advisory_xact_lock(${LOCKS.cleanUp}) as mine`
    if (!lock?.mine) return null
    const removed = await sql`
      delete from ${sql(table)} where ${which} and ctid = any (
        array(select ctid from ${sql(table)} where ${which} limit ${AT_ONCE}))`
    return removed.count
  })
}
