import { setTimeout as pause } from 'node:timers/promises'
import { openPool, type Sql } from '../../server/postgres/pool.ts'

/** The pause between two writes to a machine, in milliseconds. */
const EVERY_MS = 50

/**
 * Inserts a row on each machine of the database again and again; only the primary accepts it. While no machine does,
 * the cluster itself is out of order. What a server needs longer than that to write again is the server's own delay.
 */
export class BareWriter {
  readonly #pools: Sql[]
  readonly #working: Promise<void>[]
  readonly #times: number[] = []
  #isStopping = false

  /** @param databases a connection string to each machine, for who may create a table */
  static async open(databases: readonly string[]): Promise<BareWriter> {
    const writer = new BareWriter(databases)
    while (writer.#times.length === 0) await pause(EVERY_MS)
    return writer
  }

  private constructor(databases: readonly string[]) {
    this.#pools = databases.map((database) => openPool(database, { max: 1, isLong: true }))
    this.#working = this.#pools.map((sql) => this.#write(sql))
  }

  /** Ends the work. Returns when each write was acknowledged, in milliseconds of `performance.now()`. */
  async stop(): Promise<readonly number[]> {
    this.#isStopping = true
    await Promise.all(this.#pools.map((sql) => sql.end({ timeout: 1 })))
    await Promise.all(this.#working)
    return this.#times
  }

  async #write(sql: Sql): Promise<void> {
    while (!this.#isStopping) {
      try {
        await sql`create table if not exists beat (at timestamptz)`
        await sql`insert into beat values (now())`
        this.#times.push(performance.now())
      } catch {
        // It is not the primary, or not there.
      }
      await pause(EVERY_MS)
    }
  }
}
