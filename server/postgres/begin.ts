import type { TransactionSql } from 'postgres'
import { whileAnswering } from './lines.ts'
import type { Sql } from './pool.ts'

/** How long is looked for a database that is gone, in milliseconds; with one more try it stays under 5 s. */
const SEARCH_MS = 2_500
const PAUSE_MS = 100

/**
 * Runs `work` in one transaction and answers what it returns, once that is committed.
 *
 * The driver alone would not do, for three reasons. It goes on after a lost connection: a later statement of `work`
 * could then run on somebody else's connection, outside any transaction; here it throws. A COMMIT of a failed
 * transaction answers ROLLBACK without an error; here that is an error. And a connection that was lost before
 * anything was done is simply sought again.
 * @throws what `work` throws, after rolling back; or the loss of the connection (see `isLost`), after which what
 * was sent may have been committed or not
 */
export async function begin<T>(sql: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  let attempt: Attempt
  return search(
    sql,
    async () => {
      attempt = { begun: false, over: false }
      try {
        return await tryOnce(sql, work, attempt)
      } finally {
        attempt.over = true
      }
    },
    (error) => !attempt.begun && isLost(error),
  )
}

/** Runs what only reads, and once more where the connection was lost over it. */
export function seek<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return search(sql, work, isLost)
}

async function search<T>(
  sql: Sql,
  work: () => Promise<T>,
  isWorthAnother: (error: unknown) => boolean,
): Promise<T> {
  const deadline = Date.now() + SEARCH_MS
  for (;;) {
    try {
      return await whileAnswering(sql, work)
    } catch (error) {
      if (!isWorthAnother(error) || Date.now() > deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** Whether an error says that the database or the way to it is gone, rather than that it refused a statement. */
export function isLost(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(CONNECT|E[A-Z]{3,}$|08|57P0|53300)/.test(code)
}

interface Attempt {
  begun: boolean
  over: boolean
}

async function tryOnce<T>(sql: Sql, work: (sql: Sql) => Promise<T>, attempt: Attempt): Promise<T> {
  let sound: Promise<unknown> = Promise.resolve()
  // The result travels in an object, because the driver would await the members of an array.
  const { result } = await sql.begin(async (transaction) => {
    attempt.begun = true
    try {
      const result = await work(guard(transaction, attempt))
      // Sent in one packet with the COMMIT that follows: it fails exactly when that COMMIT would be a ROLLBACK.
      sound = transaction`select 1`.execute()
      sound.catch(() => {})
      return { result }
    } catch (error) {
      // The driver would send a ROLLBACK into the lost connection. It learns of the loss by itself.
      if (attempt.over || isFromBrokenConnection(error)) return new Promise<never>(() => {})
      throw error
    }
  })
  await sound
  return result
}

/** The driver marks its errors with the query; a missing file met by `work` has ENOENT too, but no query. */
function isFromBrokenConnection(error: unknown): boolean {
  if (!(error instanceof Error && 'query' in error && 'code' in error)) return false
  return /^(CONNECT|E[A-Z]{3,}$)/.test(String(error.code))
}

/** Lets nothing through once the transaction is over. What belongs to a pool alone, such as `end`, is not in it. */
function guard(transaction: TransactionSql, attempt: Attempt): Sql {
  const check = () => {
    if (attempt.over) throw new Error('The transaction that this statement belongs to is over.')
  }
  return new Proxy(transaction as unknown as Sql, {
    apply(target, self, args) {
      check()
      return Reflect.apply(target, self, args)
    },
    get(target, key) {
      check()
      return Reflect.get(target, key)
    },
  })
}
