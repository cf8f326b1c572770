import { UNKNOWN_BOX_DAYS } from '../../contract/boxes.ts'
import { before, DAY_MS, HOUR_MS, KEY_LIFE_MS } from '../../contract/time.ts'
import { begin } from '../postgres/begin.ts'
import { LOCKS, tryLock } from '../postgres/locks.ts'
import type { Sql } from '../postgres/pool.ts'

/** How many rows of each table lost something. */
type Counts = Record<string, number>

/**
 * Removes rows that no call and no gateway can use any more, and those that were kept for KEEP_DAYS; of what is kept
 * for longer, it forgets the addresses. Returns how many rows were removed and how many addresses forgotten: all 0
 * while another server does this.
 */
export async function cleanUp(
  sql: Sql,
  { now, keepDays }: { now: Date; keepDays: number },
  isStopped = () => false,
): Promise<{ removed: Counts; forgotten: Counts }> {
  const ago = (milliseconds: number) => before(now, milliseconds)
  const keptSince = ago(keepDays * DAY_MS)
  const outdated: readonly [table: string, since: Date][] = [
    // Before the sessions, whose deletion cascades to their tickets without counting them.
    ['export_ticket', now],
    ['session', now],
    ['login_try', ago(Math.min(31, keepDays) * DAY_MS)],
    ['captcha_used', now],
    ['idempotency_key', ago(KEY_LIFE_MS)],
    ['sign_in', keptSince],
    ['device_history', keptSince],
    ['box_login', ago(HOUR_MS)],
    ['box_count', ago(7 * DAY_MS)],
    // What became of a message can be read for a month.
    ['box_event', ago(30 * DAY_MS)],
    // Twice the time for which a gateway decides from memory.
    ['box_change', ago(HOUR_MS)],
    // One that was killed, and has not been started again at its place.
    ['server_process', ago(DAY_MS)],
    // Of clients that were deleted since, what a gateway stored once more.
    ['presence', ago(2 * DAY_MS)],
    ['stream_use', ago(2 * DAY_MS)],
    // A channel that comes back later gets another id.
    ['channel', keptSince],
  ]
  const removed: Counts = {}
  for (const [table, since] of outdated) {
    removed[table] = await inParts(sql, isStopped, (sql) => removeOutdated(sql, table, since))
  }
  const forgotten = {
    // Of the audit the database removes the addresses only.
    audit: await inParts(sql, isStopped, (sql) => removeOutdated(sql, 'audit', keptSince)),
    presence: await inParts(sql, isStopped, (sql) => forgetLastAddresses(sql, keptSince)),
  }
  await begin(sql, (sql) => sql`select forget_empty_counts(${ago(DAY_MS)})`)
  return { removed, forgotten }
}

export async function forgetUnknownBoxes(sql: Sql, now: Date, isStopped: () => boolean): Promise<void> {
  const since = before(now, UNKNOWN_BOX_DAYS * DAY_MS)
  await inParts(sql, isStopped, (sql) => removeOutdated(sql, 'unknown_box', since))
}

/** Rows that one transaction changes: few enough that no call waits for its locks. */
const AT_ONCE = 5_000

/**
 * Runs `part` again and again, each time for at most AT_ONCE rows in a transaction of its own, until none is left, the
 * jobs are stopped, or another server does this. Returns how many rows there were in all.
 */
async function inParts(
  sql: Sql,
  isStopped: () => boolean,
  part: (sql: Sql) => Promise<number>,
): Promise<number> {
  let rows = 0
  let count = AT_ONCE
  while (count === AT_ONCE && !isStopped()) {
    count = await begin(sql, async (sql) => ((await tryLock(sql, LOCKS.cleanUp)) ? part(sql) : 0))
    rows += count
  }
  return rows
}

async function removeOutdated(sql: Sql, table: string, since: Date): Promise<number> {
  const [outdated] = await sql<{ removed: number }[]>`
    select remove_outdated(${table}, ${since}, ${AT_ONCE}) as removed`
  return outdated?.removed ?? 0
}

/** Removes the last address of each box that has not asked since the given moment. */
async function forgetLastAddresses(sql: Sql, since: Date): Promise<number> {
  const { count } = await sql`
    update presence set address = null where client = any (
      array(select client from presence where address is not null and answered <= ${since} limit ${AT_ONCE}))`
  return count
}
