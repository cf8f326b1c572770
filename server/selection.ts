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

type Fragment = PendingQuery<Row[]>

/** The rows of a selection in its order, as the list shows them: a query to page through, or to stream. */
export function rowsOf(
  context: Pick<Context, 'sql' | 'account' | 'now' | 'business'>,
  selection: Selection,
): Fragment {
  const { sql } = context
  return sql`
    select c.name, c.description, c.mac, c.ministra, c.expiry, c.active as status, d.name as dealer
    from client c join account d on d.id = c.dealer
    where ${matching(context, selection.search)} and ${inState(sql, selection.filter, context.now)}
    order by ${orderOf(sql, selection)}`
}

/** A plain substring of name, description, MAC, phone digits or expiry date, and for the admin of the dealer. */
export function matching(
  { sql, account, business }: Pick<Context, 'sql' | 'account' | 'business'>,
  search: string,
): Fragment {
  const own =
    account.role === 'admin' ? sql`c.deleted is null` : sql`c.dealer = ${account.id} and c.deleted is null`
  const term = search.trim()
  if (term === '') return own
  // The fields stand in lines there, and none has a line break of its own.
  if (term.includes('\n')) return sql`false`
  const digits = /^[\d\s()+.-]+$/.test(term) ? term.replace(/\D/g, '') : ''
  const ways = [
    sql`search_text(c.name, c.description, c.mac, c.phone) like ${like(sql, term)}`,
    ...(digits !== '' && digits !== term ? [sql`c.phone like ${like(sql, digits)}`] : []),
    ...(/^[\d-]+$/.test(term)
      ? [sql`to_char(c.expiry at time zone ${business.zone}, 'YYYY-MM-DD') like ${like(sql, term)}`]
      : []),
    ...(account.role === 'admin'
      ? [
          sql`c.dealer in (select id from account where role = 'dealer' and lower(name) like ${like(sql, term)})`,
        ]
      : []),
  ]
  return sql`${own} and (${ways.reduce((all, way) => sql`${all} or ${way}`)})`
}

function inState(sql: Sql, filter: ClientFilter, now: Date): Fragment {
  switch (filter) {
    case 'all':
      return sql`true`
    case 'active':
      return sql`c.expiry >= ${now}`
    case 'expiring':
      return sql`c.expiry >= ${now} and c.expiry < ${expiringUntil(now)}`
    case 'expired':
      return sql`c.expiry < ${now}`
  }
}

// Equal ones stand by name, so that no row is on two pages or on none.
function orderOf(sql: Sql, { sort, order }: Selection): Fragment {
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const by = {
    name: sql`lower(c.name)`,
    description: sql`lower(c.description)`,
    mac: sql`c.mac`,
    ministra: sql`c.ministra`,
    expiry: sql`c.expiry`,
    status: sql`c.active`,
    dealer: sql`lower(d.name)`,
  }[sort]
  return sort === 'name' ? sql`${by} ${direction}` : sql`${by} ${direction}, lower(c.name)`
}

/** `%` and `_` are plain text; lower case is the database's own, as in what is searched. */
function like(sql: Sql, term: string): Fragment {
  return sql`lower(${`%${term.replace(/[\\%_]/g, '\\$&')}%`})`
}
