import { COUNTED_TO } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { type Condition, type Fragment, inState, own, type Selection } from '../../tree/selection.ts'
import { byState } from './counts.ts'
import { type Counts, type Query, sliceOf } from './seen.ts'

/** How many the database expects to meet a condition beside those of its expiries, by what it knows of samples. */
export async function expectedOf(context: Context, { holds }: Condition): Promise<number> {
  const [plan] = await context.sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]>`
    explain (format json) ${everyFound(context, { holds, expiries: [] }, 'name')}`
  return plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0
}

/** All that is found at once: counted, sorted, and the page cut from it. @param rows as `foundIn` has them */
export async function find(
  context: Context,
  query: Query,
  rows: Fragment,
): Promise<Counts & { ids: number[] }> {
  const { sql, now } = context
  const { before, limit } = sliceOf(query, COUNTED_TO)
  const [seen] = await sql<(Counts & { ids: number[] })[]>`
    with found as materialized (${rows})
    select ${byState(sql, now)},
      array(
        select client from found f where ${inState(sql, query.filter, now, sql`f`)}
        order by ${foundOrder(sql, query)} limit ${limit} offset ${before}
      ) as ids
    from found`
  return seen as Counts & { ids: number[] }
}

/** The order of a list, among what was found. */
function foundOrder(sql: Context['sql'], { sort, order }: Query): Fragment {
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return sort === 'name' ? sql`name ${direction}` : sql`key ${direction}, name ${direction}`
}

/**
 * Each state by itself, as far as is counted; Infinity is more. The page comes with them where all of its state were
 * found.
 * @param byExpiry how many there are at least
 */
export async function findFirst(
  context: Context,
  query: Query,
  condition: Condition,
  byExpiry: Counts,
): Promise<Counts & { ids: number[] | null }> {
  const { sql, now } = context
  const counts = { expiring: byExpiry.expiring, active: byExpiry.active, expired: byExpiry.expired }
  let ids: number[] | null = null
  for (const state of ['expiring', 'active', 'expired'] as const) {
    // The active have the expiring among them.
    const atLeast = state === 'active' ? Math.max(counts.active, counts.expiring) : counts[state]
    if (atLeast > COUNTED_TO) {
      counts[state] = Number.POSITIVE_INFINITY
      continue
    }
    const first = sql`
      select f.* from (${everyFound(context, condition, query.sort)}) as f
      where ${inState(sql, state, now, sql`f`)} limit ${COUNTED_TO + 1}`
    const seen = await find(context, { ...query, filter: state }, first)
    counts[state] = seen.all > COUNTED_TO ? Number.POSITIVE_INFINITY : seen.all
    if (state === query.filter && seen.all <= COUNTED_TO) ids = seen.ids
  }
  return { ...counts, all: counts.active + counts.expired, ids }
}

/** The clients of a page in the order of expiries, where those of a text are few: these sorted, and the others as they lie. */
export async function merge(context: Context, query: Query, condition: Condition): Promise<number[]> {
  const { sql, now } = context
  const { before, limit } = sliceOf(query, COUNTED_TO)
  const inOrder = sql`order by ${foundOrder(sql, query)}`
  const firsts = foundIn(context, condition, query.sort).map(
    (rows) => sql`
      (select f.* from (${rows}) as f where ${inState(sql, query.filter, now, sql`f`)} ${inOrder} limit ${before + limit})`,
  )
  const met = await sql<{ client: number }[]>`
    ${firsts.reduce((all, one) => sql`${all} union all ${one}`)} ${inOrder} limit ${limit} offset ${before}`
  return met.map(({ client }) => client)
}

/** A query of all that meet a condition. */
export function everyFound(context: Context, condition: Condition, sort: Selection['sort']): Fragment {
  return foundIn(context, condition, sort).reduce((all, one) => context.sql`${all} union all ${one}`)
}

/**
 * Queries that together find all that meet a condition, each once, by the indexes there are: client, name in lower case,
 * expiry, and the key by which they are sorted before their name.
 */
function foundIn(
  { sql, account }: Context,
  { holds, expiries }: Condition,
  sort: Selection['sort'],
): Fragment[] {
  const key = keyOf(sql, sort)
  const dealers = sort === 'dealer' ? sql`join account d on d.id = f.dealer` : sql``
  const byText = sql`
    select f.client, f.name, f.expiry, ${key} as key from directory f ${dealers}
    where ${own(sql, account, sql`f`)} and (${holds})`
  if (expiries.length === 0) return [byText]
  const isInService = sort === 'name' || sort === 'expiry'
  return [
    sql`${byText} and f.expiry <> all (${expiries}::timestamptz[])`,
    sql`
      select s.client, lower(s.name) as name, s.expiry, ${isInService ? sql`s.expiry` : key} as key from service s
      ${isInService ? sql`` : sql`join directory f on f.client = s.client ${dealers}`}
      where ${own(sql, account, sql`s`)} and s.expiry = any (${expiries}::timestamptz[])`,
  ]
}

/** What an entry `f` of the directory is sorted by before its name. */
function keyOf(sql: Context['sql'], sort: Selection['sort']): Fragment {
  switch (sort) {
    case 'name':
    case 'expiry':
      return sql`f.expiry`
    case 'description':
      return sql`split_part(f.text, chr(10), 2)`
    case 'mac':
      return sql`nullif(split_part(f.text, chr(10), 3), '')`
    case 'ministra':
      return sql`split_part(f.text, chr(10), 3) = ''`
    case 'status':
      return sql`f.active`
    case 'dealer':
      return sql`lower(d.name)`
  }
}
