import { COUNTED_TO } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { sendAhead } from '../../postgres/begin.ts'
import { type Condition, holds, inState, orderOf, own } from '../../tree/selection.ts'
import { type Query, sliceOf } from './seen.ts'

/**
 * The clients of a page, met in walking through all that the caller may see in the order of the list, by its index. What
 * is nearer to the end is met from the end: the last page is as near as the first.
 * @param count how many there are, or Infinity
 */
export async function walk(
  { sql, account, now }: Context,
  query: Query,
  condition: Condition | null,
  count: number,
): Promise<number[]> {
  const { filter, sort, order } = query
  const { before, limit } = sliceOf(query, condition ? Math.min(count, COUNTED_TO) : count)
  if (limit === 0) return []
  const after = count - before - limit
  const backwards = after < before
  const way = { sort, order: backwards === (order === 'asc') ? 'desc' : 'asc' } as const
  const { from, row, id, name } = leadOf(sql, query, condition !== null)
  const ordered = sql`
    select ${id} as id from ${from}
    where ${own(sql, account, row)} and ${condition ? holds(sql, condition) : sql`true`}
      and ${inState(sql, filter, now, sort === 'expiry' ? sql`s` : sql`f`)}
    order by ${orderOf(sql, way, name)}`
  // The planner takes every row for one on a disk, and would rather read and sort them all than look some up.
  await sendAhead(sql, sql`set local enable_sort = off`)
  const met = await sql<{ id: number }[]>`${ordered} limit ${limit} offset ${backwards ? after : before}`
  const ids = met.map(({ id }) => id)
  return backwards ? ids.reverse() : ids
}

/** The table that has an index of an order, and the directory beside it where that is looked at. */
function leadOf(sql: Context['sql'], { sort, filter }: Query, isSearched: boolean) {
  const directory = sql`directory f`
  switch (sort) {
    case 'name':
      return { from: directory, row: sql`f`, id: sql`f.client`, name: sql`f.name` }
    case 'dealer':
      return {
        from: sql`${directory} join account d on d.id = f.dealer`,
        row: sql`f`,
        id: sql`f.client`,
        name: sql`f.name`,
      }
    case 'expiry':
      return {
        from: isSearched ? sql`service s join ${directory} on f.client = s.client` : sql`service s`,
        row: sql`s`,
        id: sql`s.client`,
        name: sql`lower(s.name)`,
      }
    default: {
      const living = sql`(select * from client where deleted is null) c`
      return {
        from: isSearched || filter !== 'all' ? sql`${living} join ${directory} on f.client = c.id` : living,
        row: sql`c`,
        id: sql`c.id`,
        name: sql`lower(c.name)`,
      }
    }
  }
}
