import { type ClientFilter, COUNTED_TO } from '../../../contract/clients.ts'
import { sliceOf } from '../../../contract/page.ts'
import type { Context } from '../../context.ts'
import { sendAhead } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { matches, type Search } from '../../tree/search.ts'
import { inDirection, isIn, isVisibleTo, orderKeys, orderOf } from '../../tree/selection.ts'
import type { PageQuery } from './page.ts'

/**
 * Reads clients in the order of the list, by the index of that order, and skips what does not match until the page is
 * full. A page nearer to the end is read backwards from the end, so the last page is as quick as the first.
 * @param count how many the list has; Infinity where it has more than were counted
 */
export async function scanInOrder(
  { sql, account, now }: Context,
  query: PageQuery,
  search: Search | null,
  count: number,
): Promise<number[]> {
  const { filter, sort } = query
  const { limit, offset, direction, inOrder } = nearestEnd(query, count, search ? COUNTED_TO : count)
  if (limit === 0) return []
  const { from, row, id, name } = indexedTable(sql, query, search !== null)
  const all = sql`
    select ${id} as id from ${from}
    where ${isVisibleTo(sql, account, row)} and ${search ? matches(sql, search) : sql`true`}
      and ${isIn(sql, filter, now, sort === 'expiry' ? sql`s` : sql`entry`)}
    order by ${orderOf(sql, { sort, order: direction }, name)}`
  // The planner assumes that every row lies on disk, and would rather read and sort all of them than look some up.
  await sendAhead(sql, sql`set local enable_sort = off`)
  const page = await sql<{ id: number }[]>`${all} limit ${limit} offset ${offset}`
  return inOrder(page.map(({ id }) => id))
}

/**
 * Reads a page of a search like `scanInOrder`, but at most so many clients on the way to it. Returns null where these
 * have too few matches to fill the page.
 */
export async function walkToPage(
  { sql, account, now }: Context,
  query: PageQuery,
  search: Search,
  most: number,
): Promise<number[] | null> {
  const { filter, sort, order } = query
  const { offset, limit } = sliceOf(query, COUNTED_TO)
  const { from, row, id, name } = indexedTable(sql, query, true)
  const [first = name, second = name] = orderKeys(sql, sort, name)
  await sendAhead(sql, sql`set local enable_sort = off`)
  const page = await sql<{ id: number }[]>`
    select client as id from (
      select ${id} as client, entry.text, entry.dealer, entry.expiry, ${first} as first, ${second} as second from ${from}
      where ${isVisibleTo(sql, account, row)} order by ${inDirection(sql, [first, second], order)} limit ${most}
    ) as entry
    where ${matches(sql, search)} and ${isIn(sql, filter, now, sql`entry`)}
    order by ${inDirection(sql, [sql`first`, sql`second`], order)} limit ${limit} offset ${offset}`
  await sendAhead(sql, sql`set local enable_sort = on`)
  return page.length === limit ? page.map(({ id }) => id) : null
}

/**
 * Returns a page from the middle of all clients, by an index of `client` that has their order and their ids: those
 * before the page are skipped in the index alone. Who is in the asked state is known from one reading of all expiries.
 */
export async function skipToPage(
  { sql, account, now }: Context,
  query: PageQuery,
  count: number,
): Promise<number[]> {
  const { filter, sort } = query
  const { limit, offset, direction, inOrder } = nearestEnd(query, count)
  if (limit === 0) return []
  const listed = listedState(filter)
  // 'is true' hides the expiry from the planner: by its index, the clients would be read all over the table.
  const inState = sql`
    (c.id in (
      select s.client from service s
      where ${isVisibleTo(sql, account, sql`s`)} and (${isIn(sql, listed, now, sql`s`)}) is true
    )) is ${listed === filter ? sql`true` : sql`false`}`
  await sendAhead(sql, sql`set local enable_sort = off`)
  // Without room for a hash table of the state, the planner would search the state again for each client.
  await sendAhead(sql, sql`set local work_mem = '64MB'`)
  const page = await sql<{ id: number }[]>`
    select c.id from client c
    where ${isVisibleTo(sql, account, sql`c`)} and c.deleted is null and ${filter === 'all' ? sql`true` : inState}
    order by ${orderOf(sql, { sort, order: direction })} limit ${limit} offset ${offset}`
  return inOrder(page.map(({ id }) => id))
}

/** The state whose clients are listed to tell who is in the asked one: the active ones are all but the expired ones. */
export function listedState(filter: ClientFilter): ClientFilter {
  return filter === 'active' ? 'expired' : filter
}

/**
 * Where a page lies when it is read from the nearer end of a list, and what puts its rows in the asked order.
 * @param shown how many of the list have pages
 */
function nearestEnd(query: PageQuery, count: number, shown = count) {
  const { offset, limit } = sliceOf(query, Math.min(count, shown))
  const rowsAfter = count - offset - limit
  const backwards = rowsAfter < offset
  return {
    limit,
    offset: backwards ? rowsAfter : offset,
    direction: backwards === (query.order === 'asc') ? ('desc' as const) : ('asc' as const),
    inOrder: (ids: number[]) => (backwards ? ids.reverse() : ids),
  }
}

/** The table whose index has the order of the list, joined with the directory where its text or expiry is needed. */
function indexedTable(sql: Sql, { sort, filter }: PageQuery, isSearched: boolean) {
  switch (sort) {
    case 'name':
      return { from: sql`directory entry`, row: sql`entry`, id: sql`entry.client`, name: sql`entry.name` }
    case 'dealer':
      return {
        from: sql`directory entry join account d on d.id = entry.dealer`,
        row: sql`entry`,
        id: sql`entry.client`,
        name: sql`entry.name`,
      }
    case 'expiry':
      return {
        from: isSearched ? sql`service s join directory entry on entry.client = s.client` : sql`service s`,
        row: sql`s`,
        id: sql`s.client`,
        name: sql`lower(s.name)`,
      }
    default: {
      const living = sql`(select * from client where deleted is null) c`
      const needsDirectory = isSearched || filter !== 'all'
      return {
        from: needsDirectory ? sql`${living} join directory entry on entry.client = c.id` : living,
        row: sql`c`,
        id: sql`c.id`,
        name: sql`lower(c.name)`,
      }
    }
  }
}
