import { setTimeout as pause } from 'node:timers/promises'
import { isLost } from '../postgres/errors.ts'
import { type Connect, openPool, type Sql } from '../postgres/pool.ts'
import { timelineOf } from '../postgres/timeline.ts'
import { retryRead } from '../postgres/timeout.ts'

export type SourceOptions = {
  owner: Connect
  say: (line: string) => void
  /** Interrupts the wait for the standby, and closes the connection: no statement on it has a time limit. */
  signal?: AbortSignal
}

/** How long the standby is waited for, in milliseconds. */
const PATIENCE_MS = 60_000
/** The pause between two looks at the standby, in milliseconds. */
const PAUSE_MS = 200

/** The connection that a backup is read over, and whether it leads to a standby. */
export type Source = { sql: Sql; isStandby: boolean }

/**
 * Opens the connection that a backup is read over: to a standby if it follows the primary and has all that this has
 * now, or soon has it; else to the primary. Where no primary answers, a standby is taken as it is.
 * @throws the reason of the signal
 */
export async function openSource(options: SourceOptions): Promise<Source> {
  const sql = open(options, true)
  try {
    const [row] = await sql<{ replays: boolean }[]>`select pg_is_in_recovery() as replays`
    const isStandby = row?.replays === true
    if (!isStandby || (await isRecent(sql, options))) return { sql, isStandby }
  } catch (error) {
    await sql.end({ timeout: 5 })
    options.signal?.throwIfAborted()
    throw error
  }
  await sql.end({ timeout: 5 })
  return openPrimary(options)
}

export function openPrimary(options: Opening): Source {
  return { sql: open(options, false), isStandby: false }
}

type Opening = Pick<SourceOptions, 'owner' | 'signal'>

function open({ owner, signal }: Opening, standby: boolean): Sql {
  return openPool(owner, { max: 1, isLong: true, standby, interrupted: signal })
}

async function isRecent(standby: Sql, options: SourceOptions): Promise<boolean> {
  const { owner, say, signal } = options
  const primary = await stateOfPrimary(owner)
  if (primary === null) {
    say('No primary answers, so nobody can tell how old the rows of the standby are.')
    return true
  }
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const has = await compare(standby, primary)
    if (has.written && has.followed) return true
    if (performance.now() > deadline) {
      say(has.written ? NOT_FOLLOWED : NOT_WRITTEN)
      return false
    }
    await pause(PAUSE_MS, undefined, { ...(signal && { signal }) })
  }
}

const NOT_WRITTEN = 'The standby lacks what the primary has, so the backup is taken from the primary.'
const NOT_FOLLOWED =
  'The standby has not followed the primary since the last failover, as far as it tells, so the backup is taken from the primary.'

/** Up to where the primary has written its log, and on which timeline. */
type Written = { written: string; timeline: string }

/** Returns null where no primary answers. */
async function stateOfPrimary(owner: Connect): Promise<Written | null> {
  const sql = openPool(owner, { max: 1 })
  try {
    const [row] = await retryRead(
      sql,
      () => sql<Written[]>`
        select pg_current_wal_lsn()::text as written, ${timelineOf(sql)} as timeline`,
    )
    return row ?? null
  } catch (error) {
    if (!isLost(error)) throw error
    return null
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/**
 * Compares a standby with the primary. A place in the log says nothing by itself: an old primary that became a standby
 * as it was may have a longer one, of rows that were lost in the failover. A standby that follows one notes the new
 * timeline by its next checkpoint, some minutes later.
 */
async function compare(
  standby: Sql,
  { written, timeline }: Written,
): Promise<{ written: boolean; followed: boolean }> {
  const [has] = await standby<{ written: boolean; followed: boolean }[]>`
    select pg_last_wal_replay_lsn() >= ${written}::pg_lsn as written,
      lpad(to_hex(min_recovery_end_timeline), 8, '0') = lower(${timeline}) as followed
    from pg_control_recovery()`
  return has ?? { written: false, followed: false }
}
