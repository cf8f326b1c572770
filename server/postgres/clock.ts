import type { FastifyBaseLogger } from 'fastify'
import { MINUTE_MS } from '../../contract/time.ts'
import { StartFault } from '../config.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { Sql } from './pool.ts'
import { withTimeout } from './timeout.ts'

/** The time that counts for every decision of the server. */
export interface Clock {
  now(): Date
  /** How far the machine's own clock is ahead of it, in milliseconds; negative where that is behind. */
  offset(): number
  /** The moment of the newest row of the ledger where the time lies before it, as after the clock was set back. */
  behind(): Date | null
  /** Whether the machine has slept, or its own clock was set, since the time was read: `now` may lie in the past. */
  isStale(): boolean
  /** Reads the time again, if the database can be reached. */
  read(): Promise<void>
}

/** The machine's own clock, for the demonstration, tests and benchmarks, all on one machine. */
export const MACHINE_CLOCK: Clock = {
  now: () => new Date(),
  offset: () => 0,
  behind: () => null,
  isStale: () => false,
  read: async () => {},
}

/** An offset that is logged, and one with which no server starts, in milliseconds. */
const LOGGED_MS = 5_000
const REFUSED_MS = 60_000
/** By how much a row may be newer than the time, because another server's reading differs, in milliseconds. */
const TOLERANCE_MS = 1_000
/** How far the machine's clock and the timer of the process part where the machine has slept or its clock was set. */
const STALE_MS = 1_000
/** By how many milliseconds two clocks may drift apart in each millisecond, while neither is set. */
const DRIFT = 0.001

type Reading = {
  /** The database's time, in milliseconds since 1970. */
  time: number
  /** When it was that, by a timer of this process that no change of the machine's clock moves. */
  at: number
  /** By how much `at` may be wrong, in milliseconds: half the time that the reading took. */
  within: number
  /** By how much the machine's clock was ahead of that timer when the reading began, in milliseconds. */
  ahead: number
  /** The latest moment of the rows of the ledger. */
  newest: number
}

/**
 * Reads the database's clock, and again each minute, with each new connection and where the reading is stale. In
 * between a timer of the process counts on, so that a machine whose clock is wrong or set changes nothing. That timer
 * stands still while the machine sleeps.
 * @throws StartFault where the two clocks differ by more than a minute
 */
export async function startClock(sql: Sql, log: FastifyBaseLogger): Promise<Clock & { stop(): void }> {
  let reading = await readTime(sql)
  let told = false
  const clock = {
    now: () => new Date(reading.time + performance.now() - reading.at),
    offset: () => Math.round(Date.now() - clock.now().getTime()),
    behind: () => (clock.now().getTime() + TOLERANCE_MS < reading.newest ? new Date(reading.newest) : null),
    isStale: () => areApart(reading.ahead, aheadOfTimer()),
    read: oneAtATime(refresh),
    stop: () => timers.forEach(clearInterval),
  }
  const offset = clock.offset()
  if (Math.abs(offset) > REFUSED_MS) {
    throw new StartFault(
      `The clock of this machine is ${aheadOrBehind(offset)} the database's. Set it right, for example with systemd-timesyncd or chrony, and start again.`,
    )
  }
  tell()
  const timers = [
    setInterval(() => void clock.read(), MINUTE_MS).unref(),
    setInterval(() => clock.isStale() && void clock.read(), STALE_MS).unref(),
  ]
  return clock

  async function refresh(): Promise<void> {
    try {
      reading = moreExact(reading, await readTime(sql))
      tell()
    } catch {
      // The calls report that the database cannot be reached. The timer counts on.
    }
  }

  function tell(): void {
    const isOff = Math.abs(clock.offset()) > LOGGED_MS
    if (isOff !== told) {
      const figures = { offset_ms: clock.offset() }
      if (isOff) log.warn(figures, "this machine's clock differs from the database's, whose time counts")
      else log.info(figures, "this machine's clock agrees with the database's again")
    }
    told = isOff
    const newest = clock.behind()
    if (newest)
      log.error({ newest }, 'the clock of the database is behind its newest row: changes are refused')
  }
}

/**
 * Returns the reading to go by. One that waited for a connection or the processor tells the time less exactly than the
 * one before, and replaces it only where the two cannot both be right: then the clock was set, or is another machine's.
 */
function moreExact(before: Reading, fresh: Reading): Reading {
  if (areApart(before.ahead, fresh.ahead)) return fresh
  const passed = fresh.at - before.at
  const within = before.within + DRIFT * passed
  const apart = Math.abs(before.time + passed - fresh.time)
  return fresh.within < within || apart > within + fresh.within ? fresh : { ...before, newest: fresh.newest }
}

function aheadOfTimer(): number {
  return Date.now() - performance.now()
}

function areApart(before: number, now: number): boolean {
  return Math.abs(now - before) > STALE_MS
}

async function readTime(sql: Sql): Promise<Reading> {
  const ahead = aheadOfTimer()
  const began = performance.now()
  const [row] = await withTimeout(
    sql,
    () => sql<{ time: string; newest: string | null }[]>`
      select clock_timestamp() as time, (select max(created) from transfer) as newest`,
  )
  const ended = performance.now()
  return {
    time: Date.parse(row?.time ?? ''),
    at: (began + ended) / 2,
    within: (ended - began) / 2,
    ahead,
    newest: row?.newest ? Date.parse(row.newest) : Number.NEGATIVE_INFINITY,
  }
}

function aheadOrBehind(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000)
  return `${seconds.toLocaleString('en-US')} seconds ${offset > 0 ? 'ahead of' : 'behind'}`
}
