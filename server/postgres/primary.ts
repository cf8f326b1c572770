import type { FastifyBaseLogger } from 'fastify'
import { MINUTE_MS } from '../../contract/time.ts'
import { databaseUp, primaryChanges, primaryInfo } from '../metrics.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { Sql } from './pool.ts'
import { timelineOf } from './timeline.ts'
import { withTimeout } from './timeout.ts'

/**
 * The server of the database that takes changes: its address as it tells it itself, also behind a load balancer's. The
 * timeline is counted up by each promotion, so that one is noticed also where the address stays.
 */
type Seen = { host: string; timeline: string }

/** The pause after a reading that failed, in milliseconds. */
const RETRY_MS = 1_000

/**
 * Reads each minute, when a connection is lost, and whenever it is told to, which server is the primary. Log and
 * metrics tell when that changes.
 */
export function watchPrimary(
  sql: Sql,
  log: FastifyBaseLogger,
): {
  read(): Promise<void>
  /** Reads once a connection is lost: without a call, nobody else would notice that the database went. */
  onLoss(): void
  /** Its address; null for a unix socket, and while it cannot be reached. */
  host(): string | null
  stop(): void
} {
  let seen: Seen | null = null
  let isAway = false
  let isWanted = false
  let isStopped = false
  const readOnce = oneAtATime(readAsWanted)
  const read = () => {
    isWanted = true
    return readOnce()
  }
  const timer = setInterval(() => void read(), MINUTE_MS)
  timer.unref()
  let retry: NodeJS.Timeout | undefined
  return {
    read,
    onLoss() {
      // While it is away each try loses a connection, and there is the next try already.
      if (!isAway && !isStopped) void read()
    },
    host: () => (seen === null || isAway || seen.host === SOCKET ? null : seen.host),
    stop() {
      isStopped = true
      clearInterval(timer)
      clearTimeout(retry)
    },
  }

  /**
   * Reads again where that was asked for meanwhile: the first reading may be that of a server that was just replaced.
   */
  async function readAsWanted(): Promise<void> {
    while (isWanted) {
      isWanted = false
      await refresh()
    }
  }

  async function refresh(): Promise<void> {
    try {
      note(await findPrimary(sql))
    } catch (error) {
      // A stop closes the connection of a reading that is under way.
      if (isStopped) return
      if (!isAway) log.warn({ err: error }, 'the database cannot be reached')
      isAway = true
      databaseUp.set(0)
      primaryInfo.reset()
      clearTimeout(retry)
      retry = setTimeout(() => void read(), RETRY_MS).unref()
    }
  }

  function note(found: Seen | null): void {
    if (isAway) log.info('the database can be reached again')
    isAway = false
    databaseUp.set(1)
    if (found === null) return
    const isOther = seen !== null && (seen.host !== found.host || seen.timeline !== found.timeline)
    if (isOther) {
      log.warn({ from: seen, to: found }, 'the primary of the database has changed')
      primaryChanges.inc()
    }
    primaryInfo.reset()
    primaryInfo.set({ host: found.host }, 1)
    seen = found
  }
}

/** What stands for the address of an embedded one. */
const SOCKET = 'socket'

/** Returns null where the connection leads to a standby. */
async function findPrimary(sql: Sql): Promise<Seen | null> {
  const [row] = await withTimeout(
    sql,
    () => sql<Seen[]>`
      select coalesce(host(inet_server_addr()) || ':' || inet_server_port(), ${SOCKET}) as host,
        ${timelineOf(sql)} as timeline
      where not pg_is_in_recovery()`,
  )
  return row ?? null
}
