import type { FastifyBaseLogger } from 'fastify'
import type { JobName } from '../../contract/system.ts'
import { before, HOUR_MS, MINUTE_MS } from '../../contract/time.ts'
import { resealPasswords } from '../access/reseal.ts'
import type { Seal } from '../access/seal.ts'
import type { PlaylistRules } from '../context.ts'
import { type Day, dayOf, endOf } from '../ledger/calendar.ts'
import { fillSums } from '../ledger/sums.ts'
import { countBoxes } from '../nouns/boxes.ts'
import { refreshPlaylist } from '../nouns/channels/refresh.ts'
import { fillBranchDays } from '../nouns/growth.ts'
import { fillStatistics } from '../nouns/statistics.ts'
import { begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { cleanUp, forgetUnknownBoxes } from './clean-up.ts'

export type JobDependencies = {
  sql: Sql
  zone: string
  seal: Seal
  keepDays: number
  playlist: PlaylistRules
  log: FastifyBaseLogger
  clock: () => Date
}

type Needs = JobDependencies & { stopping: AbortSignal }

export type ClockJob = {
  name: JobName
  isDue(now: Date): boolean
  /** Returns false where it could not do its work yet, of which nothing is noted: it is tried again the next minute. */
  run(now: Date): Promise<boolean>
  /** Returns when it runs again after a run that went well; null where it never does. */
  next(now: Date): Date | null
}

const EACH_MINUTE = {
  isDue: () => true,
  next: (now: Date) => new Date(now.getTime() + MINUTE_MS),
}

export function dailyStatistics({ sql, zone, log }: Needs): ClockJob {
  let written: Day | null = null
  const settledAt = (now: Date) => before(now, SETTLING_MS)
  return {
    name: 'statistics',
    isDue: (now) => dayOf(settledAt(now), zone) !== written,
    async run(now) {
      if (await isChangeUnderWay(sql, SETTLING_MS)) return false
      const settled = settledAt(now)
      await forgetDaysAhead(sql, log)
      const rows = await fillStatistics(sql, settled, zone)
      if (rows) log.info({ rows }, 'statistics were written')
      const branches = await fillBranchDays(sql, settled, zone)
      const sums = await fillSums(sql, settled, zone)
      // Another server does what is null, and notes how that goes.
      if (rows === null || branches === null || sums === null) return false
      written = dayOf(settled, zone)
      return true
    },
    // Midnight comes a second after the end of the day.
    next: (now) => new Date(Date.parse(endOf(dayOf(now, zone), zone)) + 1_000 + SETTLING_MS),
  }
}

/** Removes what was written of days that have not ended: they are written again once they have. */
async function forgetDaysAhead(sql: Sql, log: FastifyBaseLogger): Promise<void> {
  const [row] = await begin(sql, (sql) => sql<{ rows: number }[]>`select forget_days_ahead() as rows`)
  if (row?.rows)
    log.warn({ rows: row.rows }, 'statistics of days that have not ended were removed: the clock was ahead')
}

/** A call that began before midnight may be committed after it: the statistics wait until none is left. */
const SETTLING_MS = MINUTE_MS

/**
 * Whether a change of a server has been under way for so many milliseconds. Its COMMIT waits for a standby for as long
 * as that is away, and until then nobody sees its rows.
 */
export async function isChangeUnderWay(sql: Sql, milliseconds: number): Promise<boolean> {
  const found = await sql`
    select from pg_stat_activity
    where datname = current_database() and backend_xid is not null
      and xact_start <= now() - ${milliseconds}::int * interval '1 millisecond' limit 1`
  return found.length > 0
}

export function hourlyCleanUp({ sql, keepDays, log, stopping }: Needs): ClockJob {
  let cleaned = Number.NEGATIVE_INFINITY
  return {
    name: 'clean-up',
    // Also where the clock was ahead when it ran last.
    isDue: (now) => Math.abs(now.getTime() - cleaned) >= HOUR_MS,
    async run(now) {
      const { removed, forgotten } = await cleanUp(sql, { now, keepDays }, () => stopping.aborted)
      cleaned = now.getTime()
      if (Object.values(removed).some(Boolean)) log.info({ removed }, 'old rows were removed')
      if (Object.values(forgotten).some(Boolean)) log.info({ forgotten }, 'old addresses were forgotten')
      return true
    },
    next: (now) => new Date(now.getTime() + HOUR_MS),
  }
}

/** Once after a start, the sealing of passwords that a version before 0.2.0 did not bind to their clients. */
export function sealing({ sql, seal, log, stopping }: Needs): ClockJob {
  let resealed = false
  return {
    name: 'sealing',
    isDue: () => !resealed,
    async run() {
      const clients = await resealPasswords(sql, seal, seal, () => stopping.aborted)
      resealed = true
      if (clients > 0) log.info({ clients }, 'passwords were bound to their clients')
      return true
    },
    next: () => null,
  }
}

/** Settles the counts that have changed since the last minute, so that every list adds up few changes. */
export function counts({ sql, stopping }: Needs): ClockJob {
  return {
    ...EACH_MINUTE,
    name: 'counts',
    async run() {
      let count = SETTLED_AT_ONCE
      while (count === SETTLED_AT_ONCE && !stopping.aborted) {
        const [row] = await begin(
          sql,
          (sql) => sql<{ count: number }[]>`select settle_counts(${SETTLED_AT_ONCE}) as count`,
        )
        count = row?.count ?? 0
      }
      return true
    },
  }
}

const SETTLED_AT_ONCE = 10_000

/** Counts the boxes, and forgets unknown ones each minute, so that a flood of them fills no table. */
export function boxCounting({ sql, stopping }: Needs): ClockJob {
  return {
    ...EACH_MINUTE,
    name: 'boxes',
    async run(now) {
      await countBoxes(sql, now)
      await forgetUnknownBoxes(sql, now, () => stopping.aborted)
      return true
    },
  }
}

export function playlistRefresh({ sql, seal, playlist, log, stopping }: Needs): ClockJob {
  return {
    ...EACH_MINUTE,
    name: 'playlist',
    async run(now) {
      try {
        const outcome = await refreshPlaylist({ sql, seal, playlist, now, signal: stopping })
        if (outcome && 'failure' in outcome) {
          const { failure, cause } = outcome
          log.warn({ failure, err: cause }, 'the playlist could not be read')
        } else if (outcome) log.info(outcome, 'the playlist was read')
        return true
      } catch (error) {
        // A stop ends the download, which is no fault to tell of.
        if (stopping.aborted) return false
        throw error
      }
    },
  }
}
