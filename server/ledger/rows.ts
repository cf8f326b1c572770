import type { Fragment, Sql } from '../postgres/pool.ts'
import type { Placed } from './path.ts'

/** An account, with everything beneath it, or one client. */
export type LedgerScope = Pick<Placed, 'id' | 'role'> | { client: number }

/**
 * Returns the rows `t` of a client, or those that an account may see: its own and those of everything beneath it; for
 * the admin, all. A moved client's row is seen on both of its paths.
 * @param which a condition on the rows `t`
 * @param head an ORDER BY and LIMIT for each path, so that neither is read further than needed: PostgreSQL does not
 *   merge the two in order by itself
 */
export function ledgerOf(
  sql: Sql,
  scope: LedgerScope,
  { which = sql`true`, head = sql`` }: { which?: Fragment; head?: Fragment } = {},
): Fragment {
  if ('client' in scope)
    return sql`(select * from transfer t where t.client = ${scope.client} and ${which} ${head}) t`
  const { id, role } = scope
  if (role === 'admin') return sql`(select * from transfer t where ${which} ${head}) t`
  const path = sql`t.${sql(role)}`
  const from = sql`t.${sql(`from_${role}`)}`
  return sql`(
    (select * from transfer t where ${path} = ${id} and ${which} ${head})
    union all
    (select * from transfer t where ${from} = ${id} and ${path} is distinct from ${id} and ${which} ${head})
  ) t`
}

/** Whether a client was moved away from an account or from beneath it, so that some of its rows are on another path. */
export async function hasLostClients(sql: Sql, { id, role }: Pick<Placed, 'id' | 'role'>): Promise<boolean> {
  if (role === 'admin') return false
  const [lost] = await sql`select from transfer where ${sql(`from_${role}`)} = ${id} limit 1`
  return lost !== undefined
}

/** Returns the condition for rows that were written beneath an account, or of it; for the admin, all rows. */
export function concerning(sql: Sql, { id, role }: Pick<Placed, 'id' | 'role'>): Fragment {
  return role === 'admin' ? sql`true` : sql`t.${sql(role)} = ${id}`
}
