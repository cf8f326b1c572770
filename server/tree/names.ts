import { UNNAMED } from '../../contract/accounts.ts'
import type { Account } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/**
 * Returns an SQL expression of an account's name as a reader may see it. A reader sees its own name, its direct
 * parent's and those beneath it; any other is `UNNAMED`, because an account must not learn who is further up.
 * @param row the account's row; where an outer join found none, the name is null
 */
export function nameFor(sql: Sql, reader: Account, row: Fragment): Fragment {
  return sql`case when ${isKnownTo(sql, reader, row)} then ${row}.name when ${row}.id is not null then ${UNNAMED} end`
}

function isKnownTo(sql: Sql, { id, role, superreseller, reseller }: Account, row: Fragment) {
  switch (role) {
    case 'admin':
      return sql`true`
    case 'superreseller':
      return sql`(${row}.id = ${id} or ${row}.role = 'admin' or ${row}.superreseller = ${id})`
    case 'reseller':
      return sql`(${row}.id = any (${[id, superreseller]}::bigint[]) or ${row}.reseller = ${id})`
    case 'dealer':
      return sql`${row}.id = any (${[id, reseller]}::bigint[])`
  }
}
