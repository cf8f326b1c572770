import { AsyncLocalStorage } from 'node:async_hooks'
import type { PendingQuery, Row, TransactionSql } from 'postgres'
import { closeLines, whileAnswering } from './lines.ts'
import { countUnreplicated, type Sql } from './pool.ts'

/** How long a lost connection is retried, in milliseconds; with a last try a call stays under 5 s. */
const SEARCH_MS = 2_500
const PAUSE_MS = 100
/** The longest wait for a connection of the pool, and for a COMMIT, in milliseconds. */
const PATIENCE_MS = 10_000

/** What a transaction may do; the database itself refuses a change in one that only reads. */
export type Access = 'read write' | 'read only'

/**
 * Runs `work` in one transaction, and returns its result once that is committed.
 *
 * It adds five things to the driver. After a lost connection, later statements of `work` throw: the driver would run
 * them on another connection, outside the transaction. A COMMIT of a failed transaction is an error: PostgreSQL rolls
 * back without one. A connection that was lost before `work` began is retried. The waits for a connection and for the
 * COMMIT, which may itself wait for a standby, are limited. And a COMMIT that was to wait for a standby and did not is
 * reported like a lost connection.
 * @throws what `work` throws, after a rollback; or the loss of the connection (see `isLost`), after which the
 * transaction may have been committed or not
 */
export async function begin<T>(
  sql: Sql,
  work: (sql: Sql) => Promise<T>,
  access: Access = 'read write',
): Promise<T> {
  let attempt: Attempt
  const trying = async () => {
    attempt = { begun: false, over: false, uses: 0, aheadAt: -1, sent: [] }
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

/** Is told when a transaction has its connection, and when it is over. */
type Watch = { begun(): void; ended(): void }

let asked = (): Watch => ({ begun() {}, ended() {} })

/** Has every transaction of this process watched, from when it asks for a connection. Most processes measure nothing. */
export function watchTransactions(watch: () => Watch): void {
  asked = watch
}

/** Whether the calling code runs inside a transaction, where slow work would hold its locks. */
export function isInTransaction(): boolean {
  return inTransaction.getStore() === true
}

const inTransaction = new AsyncLocalStorage<true>()

/** Plans the statements of this transaction for their values, where one plan for all values would be slow for most. */
export function planForValues(sql: Sql): Promise<void> {
  return sendAhead(sql, sql`set local plan_cache_mode = force_custom_plan`)
}

/** Runs work that only reads, and runs it again where the connection was lost. */
export function retryRead<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return search(() => withTimeout(sql, work), isLost)
}

/** Runs work outside a transaction, and throws ETIMEDOUT where it takes too long. */
export async function withTimeout<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
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

/** Whether an error means that the database is unreachable, rather than that it refused a statement. */
export function isLost(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(CONNECT|E[A-Z]{3,}$|08|57P0|53300|40003|25006)/.test(code)
}

interface Attempt {
  begun: boolean
  over: boolean
  /** How often the transaction was used so far, and how often when the latest statement was sent ahead. */
  uses: number
  aheadAt: number
  /** The statements that were sent ahead. */
  sent: Promise<unknown>[]
}

/** The attempt that each transaction belongs to. */
const attempts = new WeakMap<Sql, Attempt>()

/**
 * Sends a statement whose result is not needed without waiting for it, so that it shares a round trip with the next one.
 * The COMMIT waits for it, and its failure fails the transaction. On a pool, outside a transaction, it is awaited here.
 */
export async function sendAhead(sql: Sql, statement: PendingQuery<Row[]>): Promise<void> {
  const attempt = attempts.get(sql)
  if (!attempt) {
    await statement
    return
  }
  const running = statement.execute()
  running.catch(() => {})
  attempt.sent.push(running)
  attempt.aheadAt = attempt.uses
}

async function tryOnce<T>(
  sql: Sql,
  work: (sql: Sql) => Promise<T>,
  access: Access,
  attempt: Attempt,
): Promise<T> {
  const patience = createPatience()
  const watch = asked()
  patience.start()
  // The result is wrapped in an object, because the driver would await the members of an array.
  const transaction = sql.begin(access, async (transaction) => {
    if (attempt.over) throw new Error('Nobody waits for this transaction any more.')
    attempt.begun = true
    patience.stop()
    watch.begun()
    try {
      const guarded = guard(transaction, attempt)
      attempts.set(guarded, attempt)
      const result = await inTransaction.run(true, () => work(guarded))
      // A last statement sent in one packet with the COMMIT fails exactly when that COMMIT would be a ROLLBACK. Guarded,
      // because after a loss the connection runs another transaction, which must not be committed half done.
      if (attempt.over || attempt.aheadAt !== attempt.uses) await sendAhead(guarded, guarded`select 1`)
      patience.start()
      return { result }
    } catch (error) {
      // The driver would send a ROLLBACK on the lost connection. It notices the loss by itself.
      if (attempt.over || isFromBrokenConnection(error)) return new Promise<never>(() => {})
      throw error
    }
  })
  const unreplicated = countUnreplicated(sql)
  try {
    const { result } = await Promise.race([transaction, patience.end])
    await Promise.all(attempt.sent)
    // The warning does not name its transaction, so all that ended meanwhile count as uncertain.
    if (countUnreplicated(sql) > unreplicated) throw new UncertainCommit()
    return result
  } catch (error) {
    if (isReadOnly(error) && access === 'read write') closeLines(sql, 'the host is no longer the primary')
    throw error
  } finally {
    patience.stop()
    watch.ended()
  }
}

/** PostgreSQL has committed on this machine alone, because somebody cancelled its wait for the standby. */
class UncertainCommit extends Error {
  /** SQL's code for a statement whose completion is unknown. */
  readonly code = '40003'

  constructor() {
    super('A commit did not wait for the standby')
  }
}

/** Whether PostgreSQL refused a change because the host, or the connection, may only read. */
function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006'
}

/** Makes a timer whose `end` rejects like a lost connection when it was started and not stopped in time. */
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

/** Whether the driver threw an error of the connection: its errors have the query, unlike an ENOENT of a file. */
function isFromBrokenConnection(error: unknown): boolean {
  if (!(error instanceof Error && 'query' in error && 'code' in error)) return false
  return /^(CONNECT|E[A-Z]{3,}$)/.test(String(error.code))
}

/** Wraps a transaction so that every use of it throws once it is over. Members of a pool, such as `end`, are missing. */
function guard(transaction: TransactionSql, attempt: Attempt): Sql {
  const check = () => {
    if (attempt.over) throw new Error('The transaction that this statement belongs to is over.')
    attempt.uses += 1
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
