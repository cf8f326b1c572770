import type { FastifyBaseLogger } from 'fastify'
import { JOBS, type JobName } from '../../contract/system.ts'
import { resealPasswords } from '../access/reseal.ts'
import type { Seal } from '../access/seal.ts'
import type { PlaylistRules } from '../context.ts'
import { type Day, dayOf, endOf } from '../ledger/calendar.ts'
import { measureJobsFrom } from '../metrics.ts'
import { countBoxes } from '../nouns/boxes.ts'
import { refreshPlaylist } from '../nouns/channels/refresh.ts'
import { fillBranchDays } from '../nouns/growth.ts'
import { fillStatistics } from '../nouns/statistics.ts'
import { noteRun } from '../nouns/system/runs.ts'
import { begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { cleanUp, forgetUnknownBoxes } from './clean-up.ts'

export type JobDependencies = {
  sql: Sql
  /** The zone at whose midnight the statistics of a day are written. */
  zone: string
  seal: Seal
  /** How many days sign-ins and addresses are kept. */
  keepDays: number
  playlist: PlaylistRules
  log: FastifyBaseLogger
  /** Tells the database's time. */
  clock: () => Date
}

/**
 * Starts the jobs: the statistics of each finished day, an hourly clean-up, each minute the settling of the counts, the
 * counting of the boxes and the reading of the playlist where those are due, and once after a start the sealing of
 * passwords that a version before 0.2.0 did not bind to their clients.
 * Every server runs them each minute; advisory locks let one server at a time do a job. A failed job is tried again a
 * minute later. How each run went is noted in the database, where every server reads it.
 */
export function startJobs({ sql, zone, seal, keepDays, playlist, log, clock }: JobDependencies): {
  /** Starts no further job, and resolves when the running one has finished. */
  stop(): Promise<void>
} {
  let written: Day | null = null
  let cleaned = Number.NEGATIVE_INFINITY
  let resealed = false
  let stopped = false
  const stopping = new AbortController()
  measureJobsFrom(
    clock(),
    JOBS.filter((name) => name !== 'sealing'),
  )
  let running = run()
  // Apart from the others, which it would delay by its minute.
  let refreshing = attempt('playlist', refresh)
  const timer = setInterval(() => {
    running = running.then(run)
    refreshing = refreshing.then(() => attempt('playlist', refresh))
  }, MINUTE)
  return {
    async stop() {
      stopped = true
      stopping.abort()
      clearInterval(timer)
      await Promise.all([running, refreshing])
    },
  }

  async function run(): Promise<void> {
    const now = clock()
    const settled = new Date(now.getTime() - SETTLING)
    if (dayOf(settled, zone) !== written) await attempt('statistics', () => write(settled))
    if (now.getTime() - cleaned >= HOUR) await attempt('clean-up', () => clear(now))
    if (!resealed) await attempt('sealing', reseal)
    await attempt('counts', settle)
    await attempt('boxes', () => lookAtBoxes(now))
  }

  async function write(settled: Date): Promise<void> {
    const rows = await fillStatistics(sql, settled, zone)
    if (rows) log.info({ rows }, 'statistics were written')
    const branches = await fillBranchDays(sql, settled, zone)
    if (rows !== null && branches !== null) written = dayOf(settled, zone)
  }

  async function clear(now: Date): Promise<void> {
    const removed = await cleanUp(sql, { now, keepDays }, () => stopped)
    cleaned = now.getTime()
    if (Object.values(removed).some(Boolean)) log.info({ removed }, 'old rows were removed')
  }

  /** Settles the counts that have changed since the last minute, so that every list adds up few changes. */
  async function settle(): Promise<void> {
    let count = SETTLED_AT_ONCE
    while (count === SETTLED_AT_ONCE && !stopped) {
      const [row] = await begin(
        sql,
        (sql) => sql<{ count: number }[]>`select settle_counts(${SETTLED_AT_ONCE}) as count`,
      )
      count = row?.count ?? 0
    }
  }

  async function lookAtBoxes(now: Date): Promise<void> {
    await countBoxes(sql, now)
    // Each minute, so that a flood of unknown boxes fills no table.
    await forgetUnknownBoxes(sql, now, () => stopped)
  }

  async function refresh(): Promise<void> {
    const { signal } = stopping
    const outcome = await refreshPlaylist({ sql, seal, playlist, now: clock(), signal })
    if (outcome) log.info(outcome, 'the playlist was read')
  }

  async function reseal(): Promise<void> {
    const clients = await resealPasswords(sql, seal, seal, () => stopped)
    resealed = true
    if (clients > 0) log.info({ clients }, 'passwords were bound to their clients')
  }

  async function attempt(job: JobName, work: () => Promise<void>): Promise<void> {
    if (stopped) return
    const began = performance.now()
    let failure: string | null = null
    try {
      await work()
    } catch (error) {
      if (stopping.signal.aborted && job === 'playlist') return
      failure = error instanceof Error ? error.message : String(error)
      log.error({ err: error, job }, 'a job failed and will be tried again')
    }
    const run = { name: job, took_ms: Math.round(performance.now() - began), failure }
    // Where it cannot be noted, the calls report that the database takes no changes.
    await noteRun(sql, { ...run, next: nextOf(job, failure) }).catch(() => {})
  }

  function nextOf(job: JobName, failure: string | null): Date | null {
    const now = clock()
    const again = new Date(now.getTime() + MINUTE)
    if (failure !== null) return again
    if (job === 'clean-up') return new Date(now.getTime() + HOUR)
    // Midnight comes a second after the end of the day.
    if (job === 'statistics') return new Date(Date.parse(endOf(dayOf(now, zone), zone)) + 1_000 + SETTLING)
    return job === 'sealing' ? null : again
  }
}

/** How many changes of counts one statement settles. */
const SETTLED_AT_ONCE = 10_000

const MINUTE = 60_000
const HOUR = 3_600_000

/** A call that began before midnight may be committed after it: the statistics wait until none is left. */
const SETTLING = MINUTE
