import type { PendingQuery, Row } from 'postgres'
import { type ClientFilter, expiringUntil } from '../../contract/clients.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../postgres/pool.ts'

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

/** What a search asks for, of an entry `f` of the directory: either. */
export type Condition = {
  /** What one narrow table says of itself. */
  holds: Fragment
  /** The moments of which any may be its expiry: found in `service`, where there is an index of them. */
  expiries: string[]
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
  if (term.includes('\n')) return { holds: sql`false`, expiries: [] }
  const digits = /^[\d\s()+.-]+$/.test(term) ? term.replace(/\D/g, '') : ''
  const dealers = account.role === 'admin' ? await dealersLike(sql, term) : []
  const ways = [
    sql`f.text like ${like(sql, term)}`,
    // The phone is the last line, of digits alone.
    ...(digits !== '' && digits !== term
      ? [sql`f.text like ${like(sql, digits)} and f.text ~ ${`${digits}[0-9]*$`}`]
      : []),
    ...(dealers.length > 0 ? [sql`f.dealer = any (${dealers}::bigint[])`] : []),
  ]
  return {
    holds: ways.reduce((all, way) => sql`${all} or ${way}`),
    expiries: /^[\d-]+$/.test(term) ? await expiriesLike(asked, term) : [],
  }
}

/** Whether a condition holds of an entry `f` that is looked at. */
export function holds(sql: Sql, { holds, expiries }: Condition): Fragment {
  return expiries.length > 0
    ? sql`(${holds} or f.expiry = any (${expiries}::timestamptz[]))`
    : sql`(${holds})`
}

/** Being the caller's to see: a dealer its own, the admin all. */
export function own(sql: Sql, { id, role }: Context['account'], row: Fragment): Fragment {
  return role === 'admin' ? sql`true` : sql`${row}.dealer = ${id}`
}

/** Being in a state at a moment; the active have the expiring among them. */
export function inState(sql: Sql, filter: ClientFilter, now: Date, row: Fragment): Fragment {
  switch (filter) {
    case 'all':
      return sql`true`
    case 'active':
      return sql`${row}.expiry >= ${now}`
    case 'expiring':
      return sql`${row}.expiry >= ${now} and ${row}.expiry < ${expiringUntil(now)}`
    case 'expired':
      return sql`${row}.expiry < ${now}`
  }
}

/** What a list shows of a client `c` with its service `s` and its dealer `d`. */
export function shown(sql: Sql): Fragment {
  return sql`c.name, c.description, c.mac, c.ministra, s.expiry, c.active as status, d.name as dealer`
}

/**
 * By what a list stands in order. Equal ones stand by name, so that no row is on two pages or on none; descending is
 * ascending read from its end.
 * @param name the name in lower case and `expiry`, as the index that leads has them
 */
export function orderOf(
  sql: Sql,
  { sort, order }: Pick<Selection, 'sort' | 'order'>,
  name: Fragment = sql`lower(c.name)`,
  expiry: Fragment = sql`s.expiry`,
): Fragment {
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const by = {
    name: [name],
    description: [sql`lower(c.description)`, name],
    mac: [sql`c.mac`, name],
    ministra: [sql`c.ministra`, name],
    expiry: [expiry, name],
    status: [sql`c.active`, name],
    dealer: [sql`lower(d.name)`, name],
  }[sort]
  return by.map((one) => sql`${one} ${direction}`).reduce((all, one) => sql`${all}, ${one}`)
}

/** The expiries that anybody has whose date is like this: a day each, and so few. */
async function expiriesLike({ sql, account, business }: Asked, term: string): Promise<string[]> {
  const kept =
    account.role === 'admin' ? sql`superreseller_clients` : sql`dealer_clients where dealer = ${account.id}`
  const found = await sql<{ expiry: string }[]>`
    with days as materialized (select distinct expiry from ${kept})
    select expiry from days where to_char(expiry at time zone ${business.zone}, 'YYYY-MM-DD') like ${like(sql, term)}`
  return found.map(({ expiry }) => expiry)
}

async function dealersLike(sql: Sql, term: string): Promise<number[]> {
  const found = await sql<{ id: number }[]>`
    select id from account where role = 'dealer' and lower(name) like ${like(sql, term)}`
  return found.map(({ id }) => id)
}

/** `%` and `_` are plain text; lower case is the database's own, as in what is searched. */
function like(sql: Sql, term: string): Fragment {
  return sql`lower(${`%${term.replace(/[\\%_]/g, '\\$&')}%`})`
}
