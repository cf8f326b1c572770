import { setTimeout as pause } from 'node:timers/promises'
import type { Networks } from '../access/network.ts'
import type { Clock } from '../postgres/clock.ts'
import { countUnreplicated, type Sql } from '../postgres/pool.ts'
import { withTimeout } from '../postgres/timeout.ts'
import { Refusal } from '../refusal.ts'
import type { Disk } from './disk.ts'

type Ready = { status: 'OK'; writes: boolean }
type Health = Ready & { untrusted_proxy: boolean; silent_proxy: boolean; clock_offset_ms: number }

/** How long an answer of the database holds for all who ask, and the longest wait for one, in milliseconds. */
const HOLDS_MS = 5_000
const LONGEST_MS = 1_000

type HealthDependencies = {
  sql: Sql
  disk: Disk
  networks: Networks
  clock: Clock
  /** Aborted once the server was told to stop; it serves on, until load balancers send no more. */
  leaving: AbortSignal
}

/** Tells load balancers and operators what the server can do. */
export function openHealth({ sql, disk, networks, clock, leaving }: HealthDependencies) {
  const canCommit = watchCommits(sql)
  const canWrite = async () => disk.hasRoom() && clock.behind() === null && (await canCommit())
  return {
    canWrite,
    /** Whether requests are to be sent here. A server that can only read is ready. */
    async ready(): Promise<Ready> {
      if (leaving.aborted) throw new Refusal('unavailable', 'This server is being stopped.')
      await withTimeout(sql, async () => sql`select 1`)
      return { status: 'OK', writes: await canWrite() }
    },
    /**
     * What an operator looks at. A full disk, a proxy that is not named or hides who asks, and a wrong clock are told,
     * and are no failure.
     */
    async health(): Promise<Health> {
      await withTimeout(sql, async () => sql`select 1`)
      return {
        status: 'OK',
        writes: await canWrite(),
        untrusted_proxy: networks.seesUntrustedProxy(),
        silent_proxy: networks.seesSilentProxy(),
        clock_offset_ms: clock.offset(),
      }
    },
  }
}

/**
 * Tells whether a change can be committed just now. Only a commit knows: the primary may wait for a standby that is
 * gone.
 */
function watchCommits(sql: Sql): () => Promise<boolean> {
  let answer = Promise.resolve(true)
  let holdsUntil = 0
  let underWay = false
  return () => {
    if (performance.now() < holdsUntil) return answer
    holdsUntil = performance.now() + HOLDS_MS
    // One that still waits is not joined by a second: each would keep a connection from the calls.
    answer = underWay
      ? Promise.resolve(false)
      : Promise.race([commit(), pause(LONGEST_MS, false, { ref: false })])
    return answer
  }

  async function commit(): Promise<boolean> {
    underWay = true
    const before = countUnreplicated(sql)
    try {
      await sql`select pg_logical_emit_message(true, 'boxtree', '')`
      return countUnreplicated(sql) === before
    } catch {
      return false
    } finally {
      underWay = false
    }
  }
}
