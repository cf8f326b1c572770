import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { holdFreeSessions } from '../access/session.ts'
import type { Caller, Context, OpenContext } from '../context.ts'
import { openBatches } from '../postgres/batches.ts'
import { begin, sendAhead } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { closingStatement } from './closing-statement.ts'
import { type Claim, claimFreeKeys } from './idempotency.ts'

/** A call that has arrived, of which it is not known whether it may share a transaction. */
export type Arrived = { context: OpenContext & Caller; request: FastifyRequest; input: object }

export type Together = (
  sql: Sql,
  asked: readonly { account: number; input: unknown }[],
  admitted: Promise<readonly (Context | undefined)[]>,
) => Promise<unknown[]>

/** The most calls of one transaction, and how many transactions run at once: one begins while the other commits. */
const MOST_TOGETHER = 64
const TRANSACTIONS = 2

/**
 * Returns a function that carries out calls of one kind: in one transaction all that come while others are under way.
 * Only the plain ones share it. Those that would be refused, wait for another transaction or repeat a key are carried
 * out by `alone`, and so is each of a transaction that failed.
 */
export function openShared(
  sql: Sql,
  call: Call,
  together: Together,
  alone: (one: Arrived) => Promise<unknown>,
): (one: Arrived) => Promise<unknown> {
  return openBatches({
    together: (take) =>
      begin(sql, async (sql) => {
        // What has arrived meanwhile is read first, and shares the transaction.
        await nextTurn()
        return carryOut(sql, call, together, take())
      }),
    alone,
    most: MOST_TOGETHER,
    atOnce: TRANSACTIONS,
  })
}

async function carryOut(
  sql: Sql,
  call: Call,
  together: Together,
  batch: readonly Arrived[],
): Promise<unknown[]> {
  const asked = batch.map(({ context, input }) => ({ account: context.account.id, input }))
  const held = holdSessionsAndKeys(sql, call, batch)
  const outputs = await together(
    sql,
    asked,
    held.then((all) => all.map((one) => one?.context)),
  )
  const ended = (await held).map((one, at) => {
    if (!one || outputs[at] === undefined) return undefined
    return { ...one, output: call.output.parse(outputs[at]) }
  })
  const plain = ended.filter((one) => one !== undefined)
  // The sessions are locked already.
  if (plain.length > 0) await sendAhead(sql, closingStatement(sql, call, plain, null))
  return ended.map((one) => one?.output)
}

/** A call that may share the transaction: its session goes on and is locked, and its key is new and claimed. */
type Held = { context: Context; input: object; claim: Claim | null }

/**
 * Holds the sessions and the keys of calls for a transaction; undefined for a call that has to be carried out alone.
 */
async function holdSessionsAndKeys(
  sql: Sql,
  call: Call,
  batch: readonly Arrived[],
): Promise<(Held | undefined)[]> {
  const sessions = batch.map(({ context }) => context.session)
  const now = (batch[0] as Arrived).context.clock()
  const [accounts, claims] = await Promise.all([
    holdFreeSessions(sql, sessions, now),
    claimFreeKeys(sql, call, batch, now),
  ])
  return batch.map(({ context, request, input }, at) => {
    const account = accounts.get(context.session.toString('hex'))
    const claim = claims[at]
    if (!account || claim === undefined || request.gone?.aborted) return undefined
    return { context: { ...context, sql, account, now }, input, claim }
  })
}
