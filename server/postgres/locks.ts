import { type Access, begin, liftLimit } from './begin.ts'
import type { Sql } from './pool.ts'

/**
 * The keys of the advisory locks, each used for one purpose. A login, a MAC and an Idempotency-Key take others, 64 bits
 * of a hash: should one collide with these, somebody waits for a moment.
 */
export const LOCKS = {
  /** Making or changing the schema, and replacing the secret key. */
  schema: 0x6d696772,
  /** Making the database of a data folder; with 1 as second key, being its only console. */
  console: 0x626f7874,
  /** Writing the statistics of finished days, on one server. */
  statistics: 0x73746174,
  /** Writing the finished days of branches, on one server. */
  branchDays: 0x62726461,
  /** Adding up the finished days of busy accounts, and the finished months of all, on one server. */
  sums: 0x62757379,
  /** Counting the boxes, on one server. */
  boxCount: 0x626f7863,
  /** Changing the tree: suspending, moving and closing wait for each other. */
  tree: 0x74726565,
  /** Making a backup by the clock, on one server. */
  backup: 0x6261636b,
  /** Removing expired rows, on one server. */
  cleanUp: 0x636c6561,
} as const

/**
 * Lets a box that signs in by login, and whoever gives its MAC to a client, wait for each other until the transaction
 * ends.
 */
export async function lockMac(sql: Sql, mac: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`box ${mac}`}, 7))`
}

/**
 * Runs the transaction of a job that one server does, and that may take longer than a call is allowed. Null while
 * another does it.
 */
export function beginJob<T>(
  sql: Sql,
  lock: number,
  work: (sql: Sql) => Promise<T>,
  access?: Access,
): Promise<T | null> {
  const locked = async (sql: Sql) => {
    if (!(await tryLock(sql, lock))) return null
    await sql`select set_config('statement_timeout', '10min', true), ${liftLimit(sql)}`
    return work(sql)
  }
  return begin(sql, locked, access)
}

/** Takes a lock until the transaction ends. Returns whether nobody else has it. */
export async function tryLock(sql: Sql, lock: number): Promise<boolean> {
  const [row] = await sql<{ mine: boolean }[]>`select pg_try_advisory_xact_lock(${lock}) as mine`
  return row?.mine ?? false
}
