import { AsyncLocalStorage } from 'node:async_hooks'
import type { PendingQuery, Row, TransactionSql } from 'postgres'
import { whileAnswering } from './lines.ts'
import type { Sql } from './pool.ts'

/** How long is looked for a database that is gone, in milliseconds; with one more try it stays under 5 s. */
const SEARCH_MS = 2_500
const PAUSE_MS = 100
/** How long is waited for a connection of the pool, and for a COMMIT, in milliseconds. */
const PATIENCE_MS = 10_000

/** What a transaction may do; the database itself refuses a change in one that only reads. */
export type Access = 'read write' | 'read only'

/**
 * Runs `work` in one transaction and answers what it returns, once that is committed.
 *
 * The driver alone would not do, for four reasons. It goes on after a lost connection: a later statement of `work`
 * could then run on somebody else's connection, outside any transaction; here it throws. A COMMIT of a failed
 * transaction answers ROLLBACK without an error; here that is an error. A connection that was lost before
 * anything was done is simply sought again. And nobody waits for ever: neither for a connection, nor for a COMMIT that
 * itself waits for a standby that is away.
 * @throws what `work` throws, after rolling back; or the loss of the connection (see `isLost`), after which what
 * was sent may have been committed or not
 */
export async function begin<T>(
  sql: Sql,
  work: (sql: Sql) => Promise<T>,
  access: Access = 'read write',
): Promise<T> {
  let attempt: Attempt
  const trying = async () => {
    attempt = { begun: false, over: false }
    try {
      return await tryOnce(sql, work, access, attempt)
    } finally {
      attempt.over = true
    }
  }
  return search(
    () => whileAnswering(sql, trying),
    (error) => !attempt.begun && isLost(error),
  )
}

/** Whether the code that asks runs inside a transaction: what takes long, and would hold its locks, must not. */
export function isInTransaction(): boolean {
  return inTransaction.getStore() === true
}

const inTransaction = new AsyncLocalStorage<true>()

/** Runs what only reads, and once more where the connection was lost over it. */
export function seek<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return search(() => ask(sql, work), isLost)
}

/** Runs a statement, and waits for it as long as a person would. */
export async function ask<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const patience = createPatience()
  patience.start()
  try {
    return await Promise.race([whileAnswering(sql, work), patience.end])
  } finally {
    patience.stop()
  }
}

async function search<T>(work: () => Promise<T>, isWorthAnother: (error: unknown) => boolean): Promise<T> {
  const deadline = Date.now() + SEARCH_MS
  for (;;) {
    try {
      return await work()
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

/** What was sent ahead in each transaction. */
const ahead = new WeakMap<Sql, Promise<unknown>[]>()

/**
 * Sends a statement whose answer nobody needs and goes on at once: it travels with what is sent next, and is waited for
 * with the COMMIT. Its failure is that of the transaction. On a pool, where there is none, it is waited for here.
 */
export async function sendAhead(sql: Sql, statement: PendingQuery<Row[]>): Promise<void> {
  const sent = ahead.get(sql)
  if (!sent) {
    await statement
    return
  }
  const running = statement.execute()
  running.catch(() => {})
  sent.push(running)
}

async function tryOnce<T>(
  sql: Sql,
  work: (sql: Sql) => Promise<T>,
  access: Access,
  attempt: Attempt,
): Promise<T> {
  const patience = createPatience()
  const sent: Promise<unknown>[] = []
  patience.start()
  // The result travels in an object, because the driver would await the members of an array.
  const transaction = sql.begin(access, async (transaction) => {
    if (attempt.over) throw new Error('Nobody waits for this transaction any more.')
    attempt.begun = true
    patience.stop()
    try {
      const guarded = guard(transaction, attempt)
      ahead.set(guarded, sent)
      const result = await inTransaction.run(true, () => work(guarded))
      // Sent in one packet with the COMMIT that follows: it fails exactly when that COMMIT would be a ROLLBACK. Guarded,
      // because after a loss the connection is somebody else's, and the COMMIT would be of their half-done work.
      await sendAhead(guarded, guarded`select 1`)
      patience.start()
      return { result }
    } catch (error) {
      // The driver would send a ROLLBACK into the lost connection. It learns of the loss by itself.
      if (attempt.over || isFromBrokenConnection(error)) return new Promise<never>(() => {})
      throw error
    }
  })
  try {
    const { result } = await Promise.race([transaction, patience.end])
    await Promise.all(sent)
    return result
  } finally {
    patience.stop()
  }
}

/** `end` fails when it has been started and not stopped for too long, as a connection does that is lost. */
function createPatience() {
  const { promise: end, reject } = Promise.withResolvers<never>()
  const fail = () =>
    reject(Object.assign(new Error('The database did not answer in time'), { code: 'ETIMEDOUT' }))
  let timer: NodeJS.Timeout | undefined
  return {
    end,
    start() {
      timer = setTimeout(fail, PATIENCE_MS)
    },
    stop() {
      clearTimeout(timer)
    },
  }
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
