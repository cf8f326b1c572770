import { UNKNOWN_BOX_DAYS } from '../../contract/boxes.ts'
import { before, DAY_MS, HOUR_MS, KEY_LIFE_MS } from '../../contract/time.ts'
import { begin } from '../postgres/begin.ts'
import { LOCKS, tryLock } from '../postgres/locks.ts'
import type { Sql } from '../postgres/pool.ts'

/**
 * Removes rows that no call and no gateway can use any more, and those that were kept for KEEP_DAYS. Returns how many
 * of each table were removed: all 0 while another server does this.
 */
export async function cleanUp(
  sql: Sql,
  { now, keepDays }: { now: Date; keepDays: number },
  isStopped = () => false,
): Promise<Record<string, number>> {
  const ago = (milliseconds: number) => before(now, milliseconds)
  const outdated: readonly [table: string, since: Date][] = [
    // Before the sessions, whose deletion cascades to their tickets without counting them.
    ['export_ticket', now],
    ['session', now],
    ['login_try', ago(Math.min(31, keepDays) * DAY_MS)],
    ['captcha_used', now],
    ['idempotency_key', ago(KEY_LIFE_MS)],
    ['sign_in', ago(keepDays * DAY_MS)],
    ['device_history', ago(keepDays * DAY_MS)],
    ['box_login', ago(HOUR_MS)],
    ['box_count', ago(7 * DAY_MS)],
    // What became of a message can be read for a month.
    ['box_event', ago(30 * DAY_MS)],
    // Twice the time for which a gateway decides from memory.
    ['box_change', ago(HOUR_MS)],
    // One that was killed, and has not been started again at its place.
    ['server_process', ago(DAY_MS)],
    // A channel that comes back later gets another id.
    ['channel', ago(keepDays * DAY_MS)],
    // Both lose their addresses only.
    ['audit', ago(keepDays * DAY_MS)],
    ['presence', ago(keepDays * DAY_MS)],
  ]
  const removed: Record<string, number> = {}
  for (const [table, since] of outdated) {
    let count: number | null = AT_ONCE
    while (count === AT_ONCE && !isStopped()) {
      count = await remove(sql, table, since)
      removed[table] = (removed[table] ?? 0) + (count ?? 0)
    }
  }
  await begin(sql, (sql) => sql`select forget_empty_counts(${ago(DAY_MS)})`)
  return removed
}

export async function forgetUnknownBoxes(sql: Sql, now: Date, isStopped: () => boolean): Promise<void> {
  const since = before(now, UNKNOWN_BOX_DAYS * DAY_MS)
  let count: number | null = AT_ONCE
  while (count === AT_ONCE && !isStopped()) count = await remove(sql, 'unknown_box', since)
}

/** Rows that one transaction removes: few enough that no call waits for its locks. */
const AT_ONCE = 5_000

async function remove(sql: Sql, table: string, since: Date): Promise<number | null> {
  return begin(sql, async (sql) => {
    if (!(await tryLock(sql, LOCKS.cleanUp))) return null
    if (table === 'presence') return forgetAddresses(sql, since)
    const [outdated] = await sql<{ removed: number }[]>`
      select remove_outdated(${table}, ${since}, ${AT_ONCE}) as removed`
    return outdated?.removed ?? 0
  })
}

/** Removes the last address of each box that has not asked since the given moment. */
async function forgetAddresses(sql: Sql, since: Date): Promise<number> {
  const { count } = await sql`
    update presence set address = null where client = any (
      array(select client from presence where address is not null and answered <= ${since} limit ${AT_ONCE}))`
  return count
}
