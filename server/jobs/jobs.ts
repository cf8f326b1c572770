import { JOBS } from '../../contract/system.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { measureJobsFrom } from '../metrics.ts'
import { noteRun, type Run } from '../nouns/system/runs.ts'
import {
  boxCounting,
  type ClockJob,
  counts,
  dailyStatistics,
  hourlyCleanUp,
  type JobDependencies,
  playlistRefresh,
  sealing,
} from './clock-jobs.ts'

/**
 * Starts the jobs. Every server looks each minute which are due. Each job sees to it itself that several servers do no
 * harm, most of them by an advisory lock. A failed job is tried again at the next minute. How each run went is noted in
 * the database, where every server reads it.
 */
export function startJobs(dependencies: JobDependencies): {
  /** Starts no further job, and resolves when the running one has finished. */
  stop(): Promise<void>
} {
  const { sql, log, clock } = dependencies
  const stopping = new AbortController()
  const needs = { ...dependencies, stopping: stopping.signal }
  // The statistics of years and a slow playlist take minutes, and would delay the others.
  const queues = [[dailyStatistics], [hourlyCleanUp, sealing, counts, boxCounting], [playlistRefresh]].map(
    (jobs) => openQueue(jobs.map((job) => job(needs))),
  )
  measureJobsFrom(
    clock(),
    JOBS.filter((name) => name !== 'sealing'),
  )
  const nextMinute = () => {
    for (const queue of queues) queue.nextMinute()
  }
  nextMinute()
  const timer = setInterval(nextMinute, MINUTE_MS)
  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await Promise.all(queues.map((queue) => queue.idle()))
    },
  }

  /**
   * Runs jobs one after the other. If minutes pass while they run, they are run once more afterwards, however many
   * minutes it were: without those that have just failed, which would begin again at once.
   */
  function openQueue(jobs: readonly ClockJob[]) {
    let minute = 0
    let isRunning = false
    let running = Promise.resolve()
    const failedIn = new Map<ClockJob, number>()
    const runDue = async (job: ClockJob) => {
      const run = await attempt(job)
      if (run?.failure) failedIn.set(job, minute)
      // Where it cannot be noted, the calls report that the database takes no changes.
      if (run) await noteRun(sql, run).catch(() => {})
    }
    const catchUp = async () => {
      isRunning = true
      for (let done = 0; done < minute; ) {
        done = minute
        for (const job of jobs) if (failedIn.get(job) !== done) await runDue(job)
      }
      isRunning = false
    }
    return {
      nextMinute() {
        minute += 1
        if (!isRunning) running = catchUp()
      },
      idle: () => running,
    }
  }

  /** Runs a job that is due. Returns how that went, where it is to be noted. */
  async function attempt({ name, isDue, run, next }: ClockJob): Promise<Run | null> {
    const now = clock()
    if (stopping.signal.aborted || !isDue(now)) return null
    const began = performance.now()
    let failure: string | null = null
    try {
      if (!(await run(now))) return null
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
      log.error({ err: error, job: name }, 'a job failed and will be tried again')
    }
    const took_ms = Math.round(performance.now() - began)
    const ended = clock()
    return {
      name,
      took_ms,
      failure,
      next: failure === null ? next(ended) : new Date(ended.getTime() + MINUTE_MS),
    }
  }
}
