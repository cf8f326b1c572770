import { setTimeout as pause } from 'node:timers/promises'
import type { ServerReport } from '../../contract/system.ts'
import { measureJobs, measurePlaylist } from '../metrics.ts'
import { isPlaylistCurrent } from '../nouns/system/playlist.ts'
import { lastRuns } from '../nouns/system/runs.ts'
import { forgetServer, replaceServers, tellServer } from '../nouns/system/servers.ts'
import type { Sql } from '../postgres/pool.ts'

/** How often a server tells of itself, in milliseconds: four times until it is called gone. */
const BEAT_MS = 15_000
/** How long a stop waits for the database to forget this server, in milliseconds: it may be away. */
const LONGEST_STOP_MS = 2_000

type HeartbeatOptions = { id: string; sql: Sql; report: () => Promise<ServerReport>; leaving: AbortSignal }

/**
 * Tells the other servers of this one, and reads how the jobs went on any of them, and the playlist. What cannot be
 * written is left out.
 */
export function openHeartbeat({ id, sql, report, leaving }: HeartbeatOptions): {
  start(): void
  stop(): Promise<void>
} {
  let last = Promise.resolve()
  let pending = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let waitNoLonger = () => {}
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
      next(replace)
      next(tell)
      timer = setInterval(beat, BEAT_MS)
      leaving.addEventListener('abort', leave, { once: true })
    },
    async stop() {
      clearInterval(timer)
      leaving.removeEventListener('abort', leave)
      stopped = true
      waitNoLonger()
      next(() => forgetServer(sql, id))
      await Promise.race([last, pause(LONGEST_STOP_MS, undefined, { ref: false })])
    },
  }

  async function replace(): Promise<void> {
    const told = await reported()
    if (told) await replaceServers(sql, told)
  }

  async function tell(): Promise<void> {
    const told = await reported()
    if (!told) return
    await tellServer(sql, told)
    measureJobs(await lastRuns(sql))
    measurePlaylist(await isPlaylistCurrent(sql))
  }

  /** Returns the report; null once this server is to be forgotten, which no folder of backups that is away delays. */
  async function reported(): Promise<ServerReport | null> {
    if (stopped) return null
    const { promise: over, resolve } = Promise.withResolvers<null>()
    waitNoLonger = () => resolve(null)
    return Promise.race([report(), over])
  }
}
