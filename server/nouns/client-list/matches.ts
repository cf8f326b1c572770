import { COUNTED_TO } from '../../../contract/clients.ts'
import { sliceOf } from '../../../contract/page.ts'
import type { Context } from '../../context.ts'
import { directionOf } from '../../postgres/direction.ts'
import type { Fragment, Sql } from '../../postgres/pool.ts'
import { expiriesOf, matchingAll, type Search } from '../../tree/search.ts'
import { isIn, isVisibleTo, type Selection } from '../../tree/selection.ts'
import { countColumns } from './counts.ts'
import type { Counts, ListQuery, PageQuery } from './page.ts'

/**
 * How many clients the database expects a search's text to match, from its statistics and without running the search.
 * Clients that match by their expiry are not among them: those are counted exactly.
 */
export async function estimateTextMatches(context: Context, search: Search): Promise<number> {
  const [plan] = await context.sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]>`
    explain (format json) ${allMatches(context, { ...search, expiries: [] }, 'name')}`
  return plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0
}

/** How many clients the database expects the caller to have, from its statistics and without counting them. */
export function estimateOwn(context: Context): Promise<number> {
  return estimateTextMatches(context, matchingAll(context.sql`true`))
}

/** Collects all matches by the indexes, counts and sorts them, and takes the page. */
export function collect(
  context: Context,
  query: PageQuery,
  search: Search,
): Promise<Counts & { ids: number[] }> {
  return collectRows(context, query, allMatches(context, search, query.sort))
}

/**
 * Whether the first `met` matches, in whatever order, have more than COUNTED_TO of each state, so that none has to be
 * counted.
 */
export async function areManyOfEach(context: Context, search: Search, met: number): Promise<boolean> {
  const { sql, now } = context
  const [counts] = await sql<Counts[]>`
    select ${countColumns(sql, now)} from (${allMatches(context, search, 'name')} limit ${met}) as found`
  return counts !== undefined && Math.min(counts.expiring, counts.active, counts.expired) > COUNTED_TO
}

/** Collects those of all matches whose boxes are online, counts and sorts them, and takes the page. */
export async function collectOnline(
  context: Context,
  query: ListQuery,
  search: Search | null,
): Promise<{ count: number; ids: number[] }> {
  const { sql, now } = context
  const online = sql`
    select found.* from (${allMatches(context, search ?? matchingAll(sql`true`), query.sort)}) as found
    where ${isIn(sql, 'online', now, sql`found`)}`
  // Without a search all of them are counted, so that all have a page.
  const shown = search ? COUNTED_TO : Number.MAX_SAFE_INTEGER
  const { all: count, ids } = await collectRows(context, { ...query, filter: 'all' }, online, shown)
  return { count, ids }
}

/**
 * Counts each state by itself, up to COUNTED_TO + 1 of its matches; Infinity stands for more.
 * `ids` is the page where all matches of the asked filter were collected, and null where there are more.
 * @param ofExpiries how many match by their expiry: at least so many there are
 */
export async function collectStates(
  context: Context,
  query: PageQuery,
  search: Search,
  ofExpiries: Counts,
): Promise<Counts & { ids: number[] | null }> {
  const { sql, now } = context
  const counts = { expiring: ofExpiries.expiring, active: ofExpiries.active, expired: ofExpiries.expired }
  let ids: number[] | null = null
  for (const state of ['expiring', 'active', 'expired'] as const) {
    // The active ones include the expiring ones.
    const least = state === 'active' ? Math.max(counts.active, counts.expiring) : counts[state]
    if (least > COUNTED_TO) {
      counts[state] = Number.POSITIVE_INFINITY
      continue
    }
    const rows = sql`
      select found.* from (${allMatches(context, search, query.sort)}) as found
      where ${isIn(sql, state, now, sql`found`)} limit ${COUNTED_TO + 1}`
    const collected = await collectRows(context, { ...query, filter: state }, rows)
    const isWhole = collected.all <= COUNTED_TO
    counts[state] = isWhole ? collected.all : Number.POSITIVE_INFINITY
    if (state === query.filter && isWhole) ids = collected.ids
  }
  return { ...counts, all: counts.active + counts.expired, ids }
}

/**
 * Returns a page of a search out of all that match: the first of those that match by text and of those that match by
 * expiry are merged.
 */
export async function sortMatches(context: Context, query: PageQuery, search: Search): Promise<number[]> {
  const { sql, now } = context
  const { offset, limit } = sliceOf(query, COUNTED_TO)
  const inOrder = sql`order by ${matchOrder(sql, query)}`
  const [byText, byExpiry] = matchQueries(context, search, query.sort)
  // Without OFFSET 0 the planner would walk through the list's order, in which it expects a match soon.
  const sorted = [sql`${byText} offset 0`, ...(byExpiry ? [byExpiry] : [])]
  const firstOfEach = sorted.map(
    (rows) => sql`
      (select found.* from (${rows}) as found where ${isIn(sql, query.filter, now, sql`found`)}
       ${inOrder} limit ${offset + limit})`,
  )
  const found = await sql<{ client: number }[]>`
    select client from (${firstOfEach.reduce((all, one) => sql`${all} union all ${one}`)}) as first
    ${inOrder} limit ${limit} offset ${offset}`
  return found.map(({ client }) => client)
}

/** Returns a page of those who are in a state, which the index of expiries finds, and of whom there are few. */
export async function sortState(
  { sql, account, now }: Context,
  query: PageQuery,
  count: number,
): Promise<number[]> {
  const { offset, limit } = sliceOf(query, count)
  const dealers = query.sort === 'dealer' ? sql`join account d on d.id = entry.dealer` : sql``
  // Without OFFSET 0 the planner would walk through the list's order.
  const found = await sql<{ client: number }[]>`
    select client from (
      select s.client, lower(s.name) as name, ${sortKey(sql, query.sort)} as sort_key
      from service s join directory entry on entry.client = s.client ${dealers}
      where ${isVisibleTo(sql, account, sql`s`)} and ${isIn(sql, query.filter, now, sql`s`)} offset 0
    ) as found order by ${matchOrder(sql, query)} limit ${limit} offset ${offset}`
  return found.map(({ client }) => client)
}

/**
 * @param rows a query with the columns of `matchQueries`
 * @param shown how many of the first rows have pages
 */
async function collectRows(
  context: Context,
  query: PageQuery,
  rows: Fragment,
  shown = COUNTED_TO,
): Promise<Counts & { ids: number[] }> {
  const { sql, now } = context
  const { offset, limit } = sliceOf(query, shown)
  const [collected] = await sql<(Counts & { ids: number[] })[]>`
    with found as materialized (${rows})
    select ${countColumns(sql, now)},
      array(
        select client from found where ${isIn(sql, query.filter, now, sql`found`)}
        order by ${matchOrder(sql, query)} limit ${limit} offset ${offset}
      ) as ids
    from found`
  return collected as Counts & { ids: number[] }
}

/** Returns the list's ORDER BY over the columns of `matchQueries`. */
function matchOrder(sql: Sql, { sort, order }: PageQuery): Fragment {
  const direction = directionOf(sql, order)
  return sort === 'name' ? sql`name ${direction}` : sql`sort_key ${direction}, name ${direction}`
}

/** Returns one query of all matches of a search, with the columns of `matchQueries`. */
function allMatches(context: Context, search: Search, sort: Selection['sort']): Fragment {
  const [byText, byExpiry] = matchQueries(context, search, sort)
  return byExpiry ? context.sql`${byText} union all ${byExpiry}` : byText
}

/**
 * Queries that together return each match once, each query by one index: those that match by text, and those that
 * match by expiry alone. Columns: client, name in lower case, expiry, and the sort key that comes before the name.
 */
function matchQueries(
  { sql, account }: Context,
  search: Search,
  sort: Selection['sort'],
): [byText: Fragment, byExpiry: Fragment | null] {
  const { textMatches } = search
  const expiries = expiriesOf(search)
  const key = sortKey(sql, sort)
  const dealers = sort === 'dealer' ? sql`join account d on d.id = entry.dealer` : sql``
  const byText = sql`
    select entry.client, entry.name, entry.expiry, ${key} as sort_key from directory entry ${dealers}
    where ${isVisibleTo(sql, account, sql`entry`)} and (${textMatches})`
  if (expiries.length === 0) return [byText, null]
  const needsDirectory = sort !== 'name' && sort !== 'expiry'
  return [
    sql`${byText} and entry.expiry <> all (${expiries}::timestamptz[])`,
    sql`
      select s.client, lower(s.name) as name, s.expiry, ${needsDirectory ? key : sql`s.expiry`} as sort_key
      from service s ${needsDirectory ? sql`join directory entry on entry.client = s.client ${dealers}` : sql``}
      where ${isVisibleTo(sql, account, sql`s`)} and s.expiry = any (${expiries}::timestamptz[])`,
  ]
}

/** Returns the sort key before the name of a directory entry. The lines of its text are name, description and MAC. */
function sortKey(sql: Sql, sort: Selection['sort']): Fragment {
  switch (sort) {
    case 'name':
    case 'expiry':
      return sql`entry.expiry`
    case 'description':
      return sql`split_part(entry.text, chr(10), 2)`
    case 'mac':
      return sql`nullif(split_part(entry.text, chr(10), 3), '')`
    case 'ministra':
      return sql`split_part(entry.text, chr(10), 3) = ''`
    case 'status':
      return sql`entry.active`
    case 'dealer':
      return sql`lower(d.name)`
  }
}
