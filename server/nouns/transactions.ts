import type { PendingQuery, Row } from 'postgres'
import type { calls } from '../../contract/calls.ts'
import type { Transaction } from '../../contract/shapes.ts'
import type { Account, Context, Handler } from '../context.ts'
import { concerning } from '../ledger/transfer.ts'
import type { Sql } from '../postgres/pool.ts'
import { notFound } from '../refusal.ts'

/** The newest rows that a screen is sent. */
const NEWEST = 1_000

/** The transactions of the caller and of everything beneath it, newest first. */
export const ownTransactions: Handler<typeof calls.desk.admin.transactions> = ({ sql, account }) =>
  newest(sql, concerning(sql, account))

/** The same of one direct child. */
export const historyOfAccount: Handler<typeof calls.level.reseller.history> = async (
  { sql, account },
  { name },
) => {
  const [child] = await sql<Pick<Account, 'id' | 'role'>[]>`
    select id, role from account where parent = ${account.id} and lower(name) = lower(${name})`
  if (!child) throw notFound()
  return newest(sql, concerning(sql, child))
}

/** One client's, by the client and not by its login: a new client with an old login starts empty. */
export const historyOfClient: Handler<typeof calls.clients.history> = async (
  { sql, account }: Context,
  { name },
) => {
  const [client] = await sql<{ id: number }[]>`
    select id from client where dealer = ${account.id} and lower(name) = lower(${name}) and deleted is null`
  if (!client) throw notFound()
  return newest(sql, sql`t.client = ${client.id}`)
}

function newest(sql: Sql, which: PendingQuery<Row[]>): Promise<Transaction[]> {
  return sql<Transaction[]>`
    select t.id, t.created, t.type, t.credits, t.login, t.mac, t.description, t.expiry, a.name as actor
    from transfer t join account a on a.id = t.actor
    where ${which} order by t.created desc, t.id desc limit ${NEWEST}`
}
