import type { calls } from '../../contract/calls.ts'
import { COUNTED_TO } from '../../contract/clients.ts'
import { pageOf, sliceOf } from '../../contract/page.ts'
import { TRANSACTION_TYPES, type Transaction } from '../../contract/shapes.ts'
import { signOf, type TRANSACTION_SORTS } from '../../contract/transactions.ts'
import type { Context, Handler, Handlers } from '../context.ts'
import { isSelected } from '../ledger/filter.ts'
import { type LedgerScope, ledgerOf } from '../ledger/rows.ts'
import { sumsOf } from '../ledger/sums.ts'
import { directionOf } from '../postgres/direction.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { isBeneath } from '../tree/beneath.ts'
import { childOf } from '../tree/child.ts'
import { clientOf } from '../tree/client.ts'
import { nameFor } from '../tree/names.ts'
import { whoseTransactions } from '../tree/whose.ts'

/** The most rows that a call of the specification returns. */
const NEWEST = 1_000

/** Returns the transactions of the caller and of everything beneath it, newest first. */
export const ownTransactions: Handler<typeof calls.desk.admin.transactions> = (context) =>
  newest(context, context.account)

/** Returns the transactions of a direct child and of everything beneath it, newest first. */
export const historyOfAccount: Handler<typeof calls.level.reseller.history> = async (context, { name }) =>
  newest(context, await childOf(context, name))

/** Returns a client's transactions. They are found by its id, so that a new client with an old login starts empty. */
export const historyOfClient: Handler<typeof calls.clients.history> = async (context, { name }) => {
  const { id } = await clientOf(context, name)
  return newest(context, { client: id })
}

export const transactions: Handlers<typeof calls.transactions> = {
  async list(context, { page, per_page, sort, order, ...filter }) {
    const { sql, business } = context
    const whose = await whoseTransactions(context, filter)
    const which = isSelected(sql, filter, business.zone)
    const enough = sql`limit ${COUNTED_TO + 1}`
    const [counted] = await sql<{ count: number }[]>`
      select count(*) from (select from ${ledgerOf(sql, whose, { which, head: enough })} ${enough}) as counted`
    const found = counted?.count ?? 0
    const count = Math.min(found, COUNTED_TO)
    const ordered = orderOf(sql, sort, order)
    const { offset, limit } = sliceOf({ page, per_page }, count)
    const newest = sql`order by ${orderOf(sql, 'created', 'desc')} limit ${COUNTED_TO}`
    // No index has another order: all of ten million would be sorted for each page.
    const from =
      sort === 'created' || found <= COUNTED_TO
        ? ledgerOf(sql, whose, { which, head: sql`order by ${ordered} limit ${offset + limit}` })
        : sql`(select t.* from ${ledgerOf(sql, whose, { which, head: newest })} ${newest}) t`
    const data = await rows(
      context,
      sql`(select t.* from ${from} order by ${ordered} limit ${limit} offset ${offset})`,
      ordered,
    )
    return { ...pageOf(data, count, { page, per_page }), count_capped: found > COUNTED_TO }
  },

  async sums(context, filter) {
    const { sql, business } = context
    const whose = await whoseTransactions(context, filter)
    return { data: await sumsOf(sql, whose, filter, business.zone) }
  },
}

const LEAVING = TRANSACTION_TYPES.filter((type) => signOf(type) === -1)

/** Returns the ORDER BY of rows `t`. Rows with the same value stand newest first, or oldest first when ascending. */
function orderOf(sql: Sql, sort: (typeof TRANSACTION_SORTS)[number], order: 'asc' | 'desc'): Fragment {
  const direction = directionOf(sql, order)
  const newest = sql`t.created ${direction}, t.id ${direction}`
  if (sort === 'created') return newest
  // As the column shows them: less than nothing where they left the row's own account.
  const credits = sql`case when t.type = any (${LEAVING}::text[]) then -t.credits else t.credits end`
  const by = { type: sql`t.type`, credits, login: sql`lower(t.login)` }[sort]
  return sql`${by} ${direction}, ${newest}`
}

function newest(context: Context, whose: LedgerScope): Promise<Transaction[]> {
  const { sql } = context
  const order = orderOf(sql, 'created', 'desc')
  const head = sql`order by ${order} limit ${NEWEST}`
  return rows(context, sql`(select t.* from ${ledgerOf(sql, whose, { head })} ${head})`, order)
}

function rows({ sql, account }: Context, chosen: Fragment, order: Fragment): Promise<Transaction[]> {
  return sql<Transaction[]>`
    select t.id, t.created, t.type, t.credits, t.login, t.mac, t.description, t.expiry,
      ${nameFor(sql, account, sql`a`)} as actor,
      case when t.client is not null then ${nameFor(sql, account, sql`d`)} end as dealer,
      c.name as client, case when t.client is null and ${isBeneath(sql, account, sql`d`)} then d.name end as account
    from ${chosen} t join account a on a.id = t.actor
      -- The client's dealer, or the account that received credits or gave them back.
      join account d on d.id = coalesce(t.dealer, t.reseller, t.superreseller)
      -- One by one, because a plan for any number of rows would read all of a million clients for them.
      left join lateral (
        select name from client where id = t.client and dealer = ${account.id} and deleted is null offset 0
      ) c on true
    order by ${order}`
}
