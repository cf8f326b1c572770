import { setTimeout as pause } from 'node:timers/promises'
import type { ServerReport } from '../../contract/system.ts'
import { measureJobs } from '../metrics.ts'
import { lastRuns } from '../nouns/system/runs.ts'
import { forgetServer, replaceServers, tellServer } from '../nouns/system/servers.ts'
import type { Sql } from '../postgres/pool.ts'

/** How often a server tells of itself, in milliseconds: four times until it is called gone. */
const BEAT_MS = 15_000
/** How long a stop waits for the database to forget this server, in milliseconds: it may be away. */
const LONGEST_STOP_MS = 2_000

type HeartbeatOptions = { sql: Sql; report: () => Promise<ServerReport>; leaving: AbortSignal }

/**
 * Tells the other servers of this one, and reads how the jobs went on any of them. What cannot be written is left out.
 */
export function openHeartbeat({ sql, report, leaving }: HeartbeatOptions): {
  start(): void
  stop(): Promise<void>
} {
  let last = Promise.resolve()
  let pending = 0
  let timer: NodeJS.Timeout | undefined
  const next = (act: () => Promise<void>) => {
    pending += 1
    last = last
      .then(act)
      .catch(() => {})
      .finally(() => {
        pending -= 1
      })
  }
  // While the database hangs, beats are left out: once it answers, one says as much as all of them.
  const beat = () => pending === 0 && next(tell)
  // A beat under way may still say that this server serves.
  const leave = () => next(tell)
  return {
    start() {
      next(async () => replaceServers(sql, await report()))
      next(tell)
      timer = setInterval(beat, BEAT_MS)
      leaving.addEventListener('abort', leave, { once: true })
    },
    async stop() {
      clearInterval(timer)
      leaving.removeEventListener('abort', leave)
      next(async () => forgetServer(sql, (await report()).id))
      await Promise.race([last, pause(LONGEST_STOP_MS, undefined, { ref: false })])
    },
  }

  async function tell(): Promise<void> {
    await tellServer(sql, await report())
    measureJobs(await lastRuns(sql))
  }
}
