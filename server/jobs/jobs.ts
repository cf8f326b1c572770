import { JOBS } from '../../contract/system.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { measureJobsFrom } from '../metrics.ts'
import { noteRun } from '../nouns/system/runs.ts'
import {
  boxes,
  type ClockJob,
  counts,
  hourlyCleanUp,
  type JobDependencies,
  playlistRefresh,
  sealing,
  statistics,
} from './clock-jobs.ts'

/**
 * Starts the jobs. Every server looks each minute which are due; advisory locks let one server at a time do a job. A
 * failed job is tried again a minute later. How each run went is noted in the database, where every server reads it.
 */
export function startJobs(dependencies: JobDependencies): {
  /** Starts no further job, and resolves when the running one has finished. */
  stop(): Promise<void>
} {
  const { sql, log, clock } = dependencies
  const stopping = new AbortController()
  const needs = { ...dependencies, stopping: stopping.signal }
  const inTurn = [statistics, hourlyCleanUp, sealing, counts, boxes].map((job) => job(needs))
  const refresh = playlistRefresh(needs)
  measureJobsFrom(
    clock(),
    JOBS.filter((name) => name !== 'sealing'),
  )
  let running = runInTurn()
  // Apart from the others, which it would delay by its minute.
  let refreshing = attempt(refresh)
  const timer = setInterval(() => {
    running = running.then(runInTurn)
    refreshing = refreshing.then(() => attempt(refresh))
  }, MINUTE_MS)
  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await Promise.all([running, refreshing])
    },
  }

  async function runInTurn(): Promise<void> {
    for (const job of inTurn) await attempt(job)
  }

  async function attempt({ name, isDue, run, next }: ClockJob): Promise<void> {
    const now = clock()
    if (stopping.signal.aborted || !isDue(now)) return
    const began = performance.now()
    let failure: string | null = null
    try {
      await run(now)
    } catch (error) {
      if (stopping.signal.aborted && name === 'playlist') return
      failure = error instanceof Error ? error.message : String(error)
      log.error({ err: error, job: name }, 'a job failed and will be tried again')
    }
    const took_ms = Math.round(performance.now() - began)
    const ended = clock()
    const again = failure === null ? next(ended) : new Date(ended.getTime() + MINUTE_MS)
    // Where it cannot be noted, the calls report that the database takes no changes.
    await noteRun(sql, { name, took_ms, failure, next: again }).catch(() => {})
  }
}
