import type { PendingQuery, Row } from 'postgres'
import { type ClientFilter, expiringUntil } from '../contract/clients.ts'
import type { Context } from './context.ts'
import type { Sql } from './postgres/pool.ts'

/** Which clients, and in which order: what a list and an export share. */
export type Selection = {
  search: string
  filter: ClientFilter
  sort: 'name' | 'description' | 'mac' | 'ministra' | 'expiry' | 'status' | 'dealer'
  order: 'asc' | 'desc'
}

export type Fragment = PendingQuery<Row[]>

/** Who asks, when, and on whose calendar. */
type Asked = Pick<Context, 'sql' | 'account' | 'now' | 'business'>

/** Which of the two tables is read by an index; the other follows it row by row. */
export type Lead = 'client' | 'service'

/**
 * A condition on a client `c` and its service `s`, in every way in which it may hold, with the table that has an index
 * for it: no index finds all of them together.
 */
export type Condition = { ways: readonly { lead: Lead; holds: Fragment }[] }

/** The rows that meet a condition in the selection's state and order, as the list shows them: to page through, or to stream. */
export function rowsOf(
  { sql, account, now }: Asked,
  { filter, sort, order }: Omit<Selection, 'search'>,
  condition: Fragment,
  lead: Lead = sort === 'expiry' ? 'service' : 'client',
): Fragment {
  return sql`
    select c.name, c.description, c.mac, c.ministra, s.expiry, c.active as status, d.name as dealer
    from client c join service s on s.client = c.id join account d on d.id = c.dealer
    where ${own(sql, account, lead)} and ${condition} and ${inState(sql, filter, now)}
    order by ${orderOf(sql, sort, order)}`
}

/**
 * The living clients that the caller may see: a dealer its own, the admin all. Only the table that leads says whose:
 * said of both, the second could be looked through whole for every row of the first.
 */
export function own(sql: Sql, { id, role }: Context['account'], lead: Lead): Fragment {
  if (role === 'admin') return sql`c.deleted is null`
  return lead === 'client' ? sql`c.dealer = ${id} and c.deleted is null` : sql`s.dealer = ${id}`
}

/**
 * What a search asks for: a plain substring of name, description, MAC, phone digits or expiry date, and for the admin of
 * the dealer. Null asks for nothing in particular.
 */
export async function readSearch(asked: Asked, search: string): Promise<Condition | null> {
  const { sql, account } = asked
  const term = search.trim()
  if (term === '') return null
  // The fields stand in lines there, and none has a line break of its own.
  if (term.includes('\n')) return { ways: [ofClient(sql`false`)] }
  const text = sql`search_text(c.name, c.description, c.mac, c.phone)`
  const digits = /^[\d\s()+.-]+$/.test(term) ? term.replace(/\D/g, '') : ''
  const expiries = /^[\d-]+$/.test(term) ? await expiriesLike(asked, term) : []
  const dealers = account.role === 'admin' ? await dealersLike(sql, term) : []
  return {
    ways: [
      ofClient(sql`${text} like ${like(sql, term)}`),
      // Said of the whole text too, of which there is an index.
      ...(digits !== '' && digits !== term
        ? [ofClient(sql`${text} like ${like(sql, digits)} and c.phone like ${like(sql, digits)}`)]
        : []),
      ...(expiries.length > 0 ? [ofService(sql`s.expiry = any (${expiries}::timestamptz[])`)] : []),
      ...(dealers.length > 0 ? [ofClient(sql`c.dealer = any (${dealers}::bigint[])`)] : []),
    ],
  }
}

const ofClient = (holds: Fragment) => ({ lead: 'client' as const, holds })
const ofService = (holds: Fragment) => ({ lead: 'service' as const, holds })

/** A condition as one, for a walk that looks at every client. */
export function anyOf(sql: Sql, condition: Condition | null): Fragment {
  if (!condition) return sql`true`
  return sql`(${condition.ways.map(({ holds }) => sql`(${holds})`).reduce((all, way) => sql`${all} or ${way}`)})`
}

/** Being in a state at a moment; the active have the expiring among them. */
export function inState(sql: Sql, filter: ClientFilter, now: Date): Fragment {
  switch (filter) {
    case 'all':
      return sql`true`
    case 'active':
      return sql`s.expiry >= ${now}`
    case 'expiring':
      return sql`s.expiry >= ${now} and s.expiry < ${expiringUntil(now)}`
    case 'expired':
      return sql`s.expiry < ${now}`
  }
}

/** The expiries that anybody has whose date is like this: a day each, and so few. */
async function expiriesLike({ sql, account, business }: Asked, term: string): Promise<string[]> {
  const kept =
    account.role === 'admin' ? sql`superreseller_clients` : sql`dealer_clients where dealer = ${account.id}`
  const found = await sql<{ expiry: string }[]>`
    select expiry from (select distinct expiry from ${kept}) as days
    where to_char(expiry at time zone ${business.zone}, 'YYYY-MM-DD') like ${like(sql, term)}`
  return found.map(({ expiry }) => expiry)
}

async function dealersLike(sql: Sql, term: string): Promise<number[]> {
  const found = await sql<{ id: number }[]>`
    select id from account where role = 'dealer' and lower(name) like ${like(sql, term)}`
  return found.map(({ id }) => id)
}

// Equal ones stand by name, so that no row is on two pages or on none; descending is ascending read from its end.
function orderOf(sql: Sql, sort: Selection['sort'], order: Selection['order']): Fragment {
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const by = {
    name: [sql`lower(c.name)`],
    description: [sql`lower(c.description)`, sql`lower(c.name)`],
    mac: [sql`c.mac`, sql`lower(c.name)`],
    ministra: [sql`c.ministra`, sql`lower(c.name)`],
    expiry: [sql`s.expiry`, sql`lower(s.name)`],
    status: [sql`c.active`, sql`lower(c.name)`],
    dealer: [sql`lower(d.name)`, sql`lower(c.name)`],
  }[sort]
  return by.map((one) => sql`${one} ${direction}`).reduce((all, one) => sql`${all}, ${one}`)
}

/** `%` and `_` are plain text; lower case is the database's own, as in what is searched. */
function like(sql: Sql, term: string): Fragment {
  return sql`lower(${`%${term.replace(/[\\%_]/g, '\\$&')}%`})`
}
