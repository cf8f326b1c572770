import type { FastifyBaseLogger } from 'fastify'
import { MINUTE_MS } from '../../../contract/time.ts'
import type { Sql } from '../../postgres/pool.ts'
import { timelineOf } from '../../postgres/timeline.ts'
import { withTimeout } from '../../postgres/timeout.ts'
import { Away } from '../refusals.ts'
import { waitFor } from './wait-for.ts'

/** How long the log of changes may go unread before a box is answered, and before it is read anew, in milliseconds. */
const CURRENT_FOR_MS = 5_000
const READ_EVERY_MS = 2_000
/**
 * How long clients are served from memory while the log cannot be read. `remove_outdated` keeps it for twice as long.
 */
const AWAY_FOR_MS = 30 * MINUTE_MS

/** What was read of the log: the clients that have changed, and whether others may have that it does not tell of. */
export type Changes = { clients: readonly number[]; isIncomplete: boolean }

/**
 * The log of changed clients, `box_change`. It is read before a box is answered, unless that was done within the last
 * seconds.
 */
export class ChangeLog {
  /** The dealers who are suspended with service. */
  unserved: ReadonlySet<number> = new Set()
  /** Whether the log could not be read last, so that no query is worth a box's wait. */
  isAway = false
  /** Counted up by each promotion of a standby. */
  timeline: string | null = null
  readonly #sql: Sql
  readonly #log: FastifyBaseLogger
  readonly #clock: () => Date
  readonly #hear: (changes: Changes) => Promise<void>
  /** The oldest transaction whose changes may not have been read. */
  #since: string | null = null
  #readAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  /** @param hear takes what was read, before a box is answered by it */
  constructor(
    sql: Sql,
    log: FastifyBaseLogger,
    clock: () => Date,
    hear: (changes: Changes) => Promise<void>,
  ) {
    this.#sql = sql
    this.#log = log
    this.#clock = clock
    this.#hear = hear
  }

  /** When the log was read last, in milliseconds since 1970. */
  get readAt(): number {
    return this.#readAt
  }

  /** Whether the log was read so lately that a box can be answered without a look at it. */
  get isCurrent(): boolean {
    const age = this.#clock().getTime() - this.#readAt
    return age >= 0 && age < READ_EVERY_MS
  }

  /**
   * Reads the log, unless it was read just now.
   * @throws Away where it could not be read for so long that memory counts no more
   */
  async catchUp(): Promise<void> {
    const now = this.#clock().getTime()
    // The clock of a database that took over may be behind the one before: what was read is too old to answer from.
    if (this.#readAt > now) this.#readAt = now - CURRENT_FOR_MS
    const age = now - this.#readAt
    if (age < READ_EVERY_MS) return
    const wasReading = this.#reading !== null
    if (!this.#reading && performance.now() - this.#triedAt >= (this.isAway ? READ_EVERY_MS : 0)) {
      this.#triedAt = performance.now()
      this.#reading = this.#read().finally(() => {
        this.#reading = null
      })
    }
    if (age < CURRENT_FOR_MS) return
    // What is too old to answer from is worth a longer wait.
    if (this.#reading)
      await (age > AWAY_FOR_MS ? this.#reading : waitFor(this.#reading, this.#triedAt, this.isAway))
    if (this.#clock().getTime() - this.#readAt <= AWAY_FOR_MS) return
    // A reading that was under way may have begun before the machine slept.
    if (!wasReading || this.isAway) throw new Away()
    await this.catchUp()
  }

  async #read(): Promise<void> {
    const began = this.#clock().getTime()
    try {
      const [row] = await withTimeout(this.#sql, () => changesSince(this.#sql, this.#since))
      if (!row) throw new Error('the log of changes gave no row')
      // The log may have been cleaned in the meantime. Or a standby was promoted: it may lack transactions that the old
      // primary had numbered, and gives these numbers again, to changes that would count as read.
      const isIncomplete =
        began - this.#readAt > AWAY_FOR_MS || (this.timeline !== null && this.timeline !== row.timeline)
      this.timeline = row.timeline
      await this.#hear({ clients: row.changed, isIncomplete })
      this.unserved = new Set(row.unserved)
      this.#since = row.next
      this.#readAt = began
      if (this.isAway) this.#log.info('the gateway reads the changes of clients again')
      this.isAway = false
    } catch (error) {
      if (!this.isAway)
        this.#log.warn(
          { err: error },
          'the gateway answers from memory: it cannot read the changes of clients',
        )
      this.isAway = true
    }
  }
}

function changesSince(sql: Sql, since: string | null) {
  return sql<{ next: string; timeline: string; changed: number[]; unserved: number[] }[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as next,
      ${timelineOf(sql)} as timeline,
      array(select distinct client from box_change where written >= ${since}::text::xid8) as changed,
      array(select dealer from dealer_out_of_service) as unserved`
}
