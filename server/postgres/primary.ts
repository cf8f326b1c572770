import type { FastifyBaseLogger } from 'fastify'
import { withTimeout } from './begin.ts'
import type { Sql } from './pool.ts'

/** The database's server that takes changes. */
export interface Primary {
  /** Its address as it tells it itself, also behind one of a load balancer; null while none is known. */
  host(): string | null
  /** Reads it anew. */
  read(): Promise<void>
  stop(): void
}

/** The timeline is counted up by each promotion, so that one is noticed also where the address stays. */
type Seen = { host: string; timeline: string }

const MINUTE = 60_000
/** The pause after a reading that failed, in milliseconds. */
const RETRY_MS = 1_000

/** Reads each minute, and with each new connection, which server is the primary. The log is told when that changes. */
export function watchPrimary(sql: Sql, log: FastifyBaseLogger): Primary {
  let seen: Seen | null = null
  let isAway = false
  let isWanted = false
  let reader: Promise<void> | null = null
  const read = () => {
    isWanted = true
    reader ??= readAsWanted().finally(() => {
      reader = null
    })
    return reader
  }
  const timer = setInterval(() => void read(), MINUTE)
  timer.unref()
  let retry: NodeJS.Timeout | undefined
  return {
    host: () => (isAway ? null : (seen?.host ?? null)),
    read,
    stop() {
      clearInterval(timer)
      clearTimeout(retry)
    },
  }

  /** Reads again where that was asked for meanwhile: the first reading may be that of a server that was just replaced. */
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
      if (!isAway) log.warn({ err: error }, 'the database cannot be reached')
      isAway = true
      clearTimeout(retry)
      retry = setTimeout(() => void read(), RETRY_MS).unref()
    }
  }

  function note(found: Seen | null): void {
    if (isAway) log.info('the database can be reached again')
    isAway = false
    if (found === null) return
    const isOther = seen !== null && (seen.host !== found.host || seen.timeline !== found.timeline)
    if (isOther) log.warn({ from: seen, to: found }, 'the primary of the database has changed')
    seen = found
  }
}

/** Returns null where the connection leads to a standby. */
async function findPrimary(sql: Sql): Promise<Seen | null> {
  const [row] = await withTimeout(
    sql,
    () => sql<Seen[]>`
      select coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'socket') as host,
        substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline
      where not pg_is_in_recovery()`,
  )
  return row ?? null
}
