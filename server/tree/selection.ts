import { expiringUntil, type ListFilter } from '../../contract/clients.ts'
import type { ANY_CLIENT_SORTS } from '../../contract/shapes.ts'
import type { Context } from '../context.ts'
import { directionOf } from '../postgres/direction.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { isOnline } from './presence.ts'

export type Selection = {
  search: string
  filter: ListFilter
  sort: (typeof ANY_CLIENT_SORTS)[number]
  order: 'asc' | 'desc'
}

export function isVisibleTo(sql: Sql, { id, role }: Context['account'], row: Fragment): Fragment {
  return role === 'admin' ? sql`true` : sql`${row}.dealer = ${id}`
}

/** The active ones include the expiring ones. @param row a table with the columns `client` and `expiry` */
export function isIn(sql: Sql, filter: ListFilter, now: Date, row: Fragment): Fragment {
  switch (filter) {
    case 'all':
      return sql`true`
    case 'active':
      return sql`${row}.expiry >= ${now}`
    case 'expiring':
      return sql`${row}.expiry >= ${now} and ${row}.expiry < ${expiringUntil(now)}`
    case 'expired':
      return sql`${row}.expiry < ${now}`
    case 'online':
      return sql`exists (select from presence p where p.client = ${row}.client and ${isOnline(sql, now)})`
  }
}

/** From a client `c`, its service `s` and its dealer `d`. */
export function listColumns(sql: Sql): Fragment {
  return sql`c.name, c.description, c.mac, c.ministra, s.expiry, c.active as status, c.phone, c.package_selection,
    d.name as dealer`
}

/**
 * Returns the ORDER BY of a list. The name is the last key, so that the order of equal values is fixed and no client is
 * on two pages; descending is exactly ascending reversed.
 */
export function orderOf(
  sql: Sql,
  { sort, order }: Pick<Selection, 'sort' | 'order'>,
  name?: Fragment,
): Fragment {
  return inDirection(sql, orderKeys(sql, sort, name), order)
}

/**
 * Returns what a list is ordered by, the first key first.
 * @param name the column with the name in lower case, of the table whose index has the order
 */
export function orderKeys(
  sql: Sql,
  sort: Selection['sort'],
  name: Fragment = sql`lower(c.name)`,
): Fragment[] {
  return {
    name: [name],
    description: [sql`lower(c.description)`, name],
    mac: [sql`c.mac`, name],
    ministra: [sql`c.ministra`, name],
    expiry: [sql`s.expiry`, name],
    status: [sql`c.active`, name],
    dealer: [sql`lower(d.name)`, name],
  }[sort]
}

export function inDirection(sql: Sql, keys: readonly Fragment[], order: Selection['order']): Fragment {
  const direction = directionOf(sql, order)
  return keys.map((one) => sql`${one} ${direction}`).reduce((all, one) => sql`${all}, ${one}`)
}
