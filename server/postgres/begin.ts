import { AsyncLocalStorage } from 'node:async_hooks'
import type { TransactionSql } from 'postgres'
import { isLost, isOfBrokenConnection, isReadOnly } from './errors.ts'
import { closeSockets, closeWhenSilent } from './host-connections.ts'
import { countUnreplicated, type Fragment, inTurn, type Sql } from './pool.ts'
import { createTimeout, retry, withTimeout } from './timeout.ts'

/**
 * What a transaction may do. 'read only': the database refuses any change. 'may be lost': the COMMIT waits for neither
 * the disk nor a standby, so a crash can lose what it wrote; it needs no turn.
 */
export type Access = 'read write' | 'read only' | 'may be lost'

/**
 * Runs `work` in one transaction, and returns its result once that is committed.
 *
 * It adds to the driver: after a lost connection, later statements of `work` throw: the driver would run
 * them on another connection, outside the transaction. A COMMIT of a failed transaction is an error: PostgreSQL rolls
 * back without one. A connection that was lost before `work` began is retried. The waits for a connection and for the
 * COMMIT, which may itself wait for a standby, are limited. A COMMIT that was to wait for a standby and did not is
 * reported like a lost connection. Changes wait for a turn. And connections to a host that has fallen silent, or is no
 * longer the primary, are closed.
 * @throws what `work` throws, after a rollback; or the loss of the connection (see `isLost` in `errors.ts`), after
 * which the transaction may have been committed or not
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
  return retry(
    () => closeWhenSilent(sql, trying),
    (error) => !attempt.begun && isLost(error),
  )
}

/**
 * Runs work in one transaction that has more in hand than statements, as files or another process: where the connection
 * is lost, which ends the transaction at once, that work is told so by `lost` and awaited, so that nothing of it goes
 * on behind its caller.
 */
export async function beginAndAwait<T>(
  sql: Sql,
  work: (sql: Sql, lost: AbortSignal) => Promise<T>,
  access: Access,
): Promise<T> {
  const lost = new AbortController()
  let working: Promise<unknown> = Promise.resolve()
  const start = (sql: Sql) => {
    const started = work(sql, lost.signal)
    working = started
    return started
  }
  try {
    return await begin(sql, start, access)
  } catch (error) {
    lost.abort(error)
    await working.catch(() => {})
    throw error
  }
}

/** Is told when a transaction has its connection, and when it is over. */
type Watch = { begun(): void; ended(): void }

let watchOne = (): Watch => ({ begun() {}, ended() {} })

/**
 * Has every transaction of this process watched, from when it asks for a connection. Most processes measure nothing.
 */
export function watchTransactions(watch: () => Watch): void {
  watchOne = watch
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

/**
 * Returns an expression that lifts the limit which a role or the database may have for transactions (from PostgreSQL 17
 * on), for this one.
 */
export function liftLimit(sql: Sql): Fragment {
  return sql`
    case when current_setting('transaction_timeout', true) is not null
      then set_config('transaction_timeout', '0', true) end`
}

/**
 * Runs a statement that changes something, outside a transaction, in a turn, and throws ETIMEDOUT where it takes too
 * long.
 */
export async function change<T>(sql: Sql, statement: () => PromiseLike<T>): Promise<T> {
  if (attempts.has(sql)) return statement()
  try {
    return await withTimeout(sql, (gone) => inTurn(sql, gone, async () => statement()))
  } catch (error) {
    leaveDemoted(sql, error)
    throw error
  }
}

/** Closes the connections of a pool whose host refuses changes, so that new ones go to the primary. */
function leaveDemoted(sql: Sql, error: unknown): void {
  if (isReadOnly(error)) closeSockets(sql, 'the host is no longer the primary')
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
 * Sends a statement whose result is not needed without waiting for it, so that it shares a round trip with the next
 * one. The COMMIT waits for it, and its failure fails the transaction. On a pool, outside a transaction, it is awaited
 * here.
 */
export async function sendAhead(sql: Sql, statement: Fragment): Promise<void> {
  const attempt = attempts.get(sql)
  if (!attempt) {
    await change(sql, () => statement)
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
  const timeout = createTimeout()
  const watch = watchOne()
  timeout.start()
  const unreplicated = countUnreplicated(sql)
  const transaction = access === 'read write' ? inTurn(sql, timeout.gone, transact) : transact()
  // A transaction may go on after its caller gave up.
  transaction.then(watch.ended, watch.ended)
  try {
    const { result } = await Promise.race([transaction, timeout.end])
    await Promise.all(attempt.sent)
    // The warning does not name its transaction, so all that ended meanwhile count as uncertain.
    if (countUnreplicated(sql) > unreplicated) throw new UncertainCommit()
    return result
  } catch (error) {
    if (access !== 'read only') leaveDemoted(sql, error)
    throw error
  } finally {
    timeout.stop()
  }

  // The result is wrapped in an object, because the driver would await the members of an array.
  function transact() {
    const mode = access === 'read only' ? access : 'read write'
    return sql.begin(mode, async (transaction) => {
      if (attempt.over) throw new Error('Nobody waits for this transaction any more.')
      attempt.begun = true
      timeout.stop()
      watch.begun()
      try {
        const guarded = guard(transaction, attempt)
        attempts.set(guarded, attempt)
        if (access === 'may be lost') await sendAhead(guarded, guarded`set local synchronous_commit = off`)
        const result = await inTransaction.run(true, () => work(guarded))
        // A last statement sent in one packet with the COMMIT fails exactly when that COMMIT would be a ROLLBACK.
        // Guarded, because after a loss the connection runs another transaction, which must not be committed half done.
        if (attempt.over || attempt.aheadAt !== attempt.uses) await sendAhead(guarded, guarded`select 1`)
        timeout.start()
        return { result }
      } catch (error) {
        // The driver would send a ROLLBACK on the lost connection. It notices the loss by itself.
        if (attempt.over || isOfBrokenConnection(error)) return new Promise<never>(() => {})
        throw error
      }
    })
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

/**
 * Wraps a transaction so that every use of it throws once it is over. Members of a pool, such as `end`, are missing.
 */
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
