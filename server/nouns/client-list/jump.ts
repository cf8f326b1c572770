import { sliceOf } from '../../../contract/page.ts'
import type { Context } from '../../context.ts'
import { directionOf } from '../../postgres/direction.ts'
import type { Fragment } from '../../postgres/pool.ts'
import { countsByExpiry, countsInState } from '../../tree/client-counts.ts'
import { isIn, isVisibleTo } from '../../tree/selection.ts'
import type { PageQuery } from './page.ts'

/** Whether the clients are counted by the first key of this order. */
export function canJump({ sort }: PageQuery): boolean {
  return sort === 'expiry' || sort === 'dealer'
}

/** The kept counts by the first key of an order, and the clients that have one such key, each with its name. */
type Groups = { counts: Fragment; clients: Fragment }

/**
 * Returns a page from the middle of all clients. The kept counts say which expiries, or which dealers, are on the page,
 * so that only clients of the first one are skipped.
 * @param count how many the list has
 */
export async function jumpInOrder(context: Context, query: PageQuery, count: number): Promise<number[]> {
  const { sql } = context
  const { offset, limit } = sliceOf(query, count)
  const { counts, clients } = query.sort === 'expiry' ? expiries(context, query) : dealers(context, query)
  const direction = directionOf(sql, query.order)
  // One statement, so that the counts and the clients are of one moment.
  const page = await sql<{ id: number }[]>`
    with counted as (${counts}),
    on_page as materialized (
      select *, until - clients as before
      from (select *, sum(clients) over (order by key ${direction}) as until from counted) as running
      where until > ${offset} and until - clients < ${offset + limit}
    )
    select client as id from on_page cross join lateral (
      ${clients} order by name ${direction} limit ${limit} offset greatest(${offset} - before, 0)::bigint
    ) as found
    order by key ${direction}, name ${direction} limit ${limit}`
  return page.map(({ id }) => id)
}

function expiries({ sql, account, now }: Context, { filter }: PageQuery): Groups {
  return {
    counts: sql`
      select expiry as key, sum(clients) as clients from ${countsByExpiry(sql, account)}
      where ${isIn(sql, filter, now, sql`kept`)} group by expiry`,
    clients: sql`
      select s.client, lower(s.name) as name from service s
      where ${isVisibleTo(sql, account, sql`s`)} and s.expiry = on_page.key`,
  }
}

function dealers({ sql, account, now }: Context, { filter }: PageQuery): Groups {
  return {
    counts: sql`
      select lower(d.name) as key, d.id as dealer, kept.clients
      from (
        select account as dealer, sum(clients) as clients from (${countsInState(sql, filter, now)}) as each group by account
      ) as kept
      join account d on d.id = kept.dealer
      where d.role = 'dealer' and ${isVisibleTo(sql, account, sql`kept`)}`,
    clients: sql`
      select entry.client, entry.name from directory entry
      where entry.dealer = on_page.dealer and ${isIn(sql, filter, now, sql`entry`)}`,
  }
}
