import type { PendingQuery, Row } from 'postgres'
import type { calls } from '../../contract/calls.ts'
import type { Transaction } from '../../contract/shapes.ts'
import type { Context, Handler } from '../context.ts'
import { concerning } from '../ledger/transfer.ts'
import { childOf } from '../tree/child.ts'
import { clientOf } from '../tree/client.ts'
import { nameFor } from '../tree/names.ts'

/** The most rows that a call returns. */
const NEWEST = 1_000

/** Returns the transactions of the caller and of everything beneath it, newest first. */
export const ownTransactions: Handler<typeof calls.desk.admin.transactions> = (context) =>
  newest(context, concerning(context.sql, context.account))

/** Returns the transactions of a direct child and of everything beneath it, newest first. */
export const historyOfAccount: Handler<typeof calls.level.reseller.history> = async (context, { name }) =>
  newest(context, concerning(context.sql, await childOf(context, name)))

/** Returns a client's transactions. They are found by its id, so that a new client with an old login starts empty. */
export const historyOfClient: Handler<typeof calls.clients.history> = async (context, { name }) => {
  const { id } = await clientOf(context, name)
  return newest(context, context.sql`t.client = ${id}`)
}

function newest({ sql, account }: Context, which: PendingQuery<Row[]>): Promise<Transaction[]> {
  return sql<Transaction[]>`
    select t.id, t.created, t.type, t.credits, t.login, t.mac, t.description, t.expiry,
      ${nameFor(sql, account, sql`a`)} as actor
    from transfer t join account a on a.id = t.actor
    where ${which} order by t.created desc, t.id desc limit ${NEWEST}`
}
