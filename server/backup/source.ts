import { setTimeout as pause } from 'node:timers/promises'
import { isLost } from '../postgres/errors.ts'
import { type Connect, openPool, type Sql } from '../postgres/pool.ts'
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
 * Opens the connection that a backup is read over: to a standby if it has all that the primary has now, or soon has it;
 * else to the primary. Where no primary answers, a standby is taken as it is.
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
  const written = await writtenBy(owner)
  if (written === null) {
    say('No primary answers, so nobody can tell how old the rows of the standby are.')
    return true
  }
  for (const deadline = Date.now() + PATIENCE_MS; ; ) {
    const [has] = await standby<{ all: boolean }[]>`
      select pg_last_wal_replay_lsn() >= ${written}::pg_lsn as all`
    if (has?.all) return true
    if (Date.now() > deadline) break
    await pause(PAUSE_MS, undefined, { ...(signal && { signal }) })
  }
  say('The standby lacks what the primary has, so the backup is taken from the primary.')
  return false
}

/** Returns up to where the primary has written its log; null where none answers. */
async function writtenBy(owner: Connect): Promise<string | null> {
  const sql = openPool(owner, { max: 1 })
  try {
    const [row] = await retryRead(
      sql,
      () => sql<{ written: string }[]>`select pg_current_wal_lsn()::text as written`,
    )
    return row?.written ?? null
  } catch (error) {
    if (!isLost(error)) throw error
    return null
  } finally {
    await sql.end({ timeout: 1 })
  }
}
