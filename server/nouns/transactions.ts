import type { PendingQuery, Row } from 'postgres'
import type { calls } from '../../contract/calls.ts'
import type { Transaction } from '../../contract/shapes.ts'
import type { Handler } from '../context.ts'
import { concerning } from '../ledger/transfer.ts'
import type { Sql } from '../postgres/pool.ts'
import { childOf } from '../tree/child.ts'
import { clientOf } from '../tree/client.ts'

/** The newest rows that a screen is sent. */
const NEWEST = 1_000

/** The transactions of the caller and of everything beneath it, newest first. */
export const ownTransactions: Handler<typeof calls.desk.admin.transactions> = ({ sql, account }) =>
  newest(sql, concerning(sql, account))

/** The same of one direct child. */
export const historyOfAccount: Handler<typeof calls.level.reseller.history> = async (context, { name }) =>
  newest(context.sql, concerning(context.sql, await childOf(context, name)))

/** One client's, by the client and not by its login: a new client with an old login starts empty. */
export const historyOfClient: Handler<typeof calls.clients.history> = async (context, { name }) => {
  const { id } = await clientOf(context, name)
  return newest(context.sql, context.sql`t.client = ${id}`)
}

function newest(sql: Sql, which: PendingQuery<Row[]>): Promise<Transaction[]> {
  return sql<Transaction[]>`
    select t.id, t.created, t.type, t.credits, t.login, t.mac, t.description, t.expiry, a.name as actor
    from transfer t join account a on a.id = t.actor
    where ${which} order by t.created desc, t.id desc limit ${NEWEST}`
}
