import { COUNTED_TO } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { sendAhead } from '../../postgres/begin.ts'
import { isIn, isVisibleTo, matches, orderOf, type Search } from '../../tree/selection.ts'
import { type PageQuery, sliceOf } from './page.ts'

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
  const { filter, sort, order } = query
  const { offset, limit } = sliceOf(query, search ? Math.min(count, COUNTED_TO) : count)
  if (limit === 0) return []
  const rowsAfter = count - offset - limit
  const backwards = rowsAfter < offset
  const direction = backwards === (order === 'asc') ? 'desc' : 'asc'
  const { from, row, id, name } = indexedTable(sql, query, search !== null)
  const inOrder = sql`
    select ${id} as id from ${from}
    where ${isVisibleTo(sql, account, row)} and ${search ? matches(sql, search) : sql`true`}
      and ${isIn(sql, filter, now, sort === 'expiry' ? sql`s` : sql`entry`)}
    order by ${orderOf(sql, { sort, order: direction }, name)}`
  // The planner assumes that every row lies on disk, and would rather read and sort all of them than look some up.
  await sendAhead(sql, sql`set local enable_sort = off`)
  const page = await sql<{ id: number }[]>`${inOrder} limit ${limit} offset ${backwards ? rowsAfter : offset}`
  const ids = page.map(({ id }) => id)
  return backwards ? ids.reverse() : ids
}

/** The table whose index has the order of the list, joined with the directory where its text or expiry is needed. */
function indexedTable(sql: Context['sql'], { sort, filter }: PageQuery, isSearched: boolean) {
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
