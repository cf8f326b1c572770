import type { Account } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'

/** Whether an account may lift a suspension that the account `a` has set: its own, or that of one beneath it. */
export function mayLift(sql: Sql, { id, role }: Pick<Account, 'id' | 'role'>): Fragment {
  return role === 'admin' ? sql`true` : sql`coalesce(${id} in (a.id, a.superreseller, a.reseller), false)`
}

/** Whether the account `a`, or one above it, is suspended. */
export function suspended(sql: Sql): Fragment {
  return sql`exists (
    select from suspension s where s.account = any (array[a.id, a.reseller, a.superreseller]) and s.lifted is null
  )`
}

export async function isSuspended(sql: Sql, account: number): Promise<boolean> {
  const [row] = await sql<{ suspended: boolean }[]>`
    select ${suspended(sql)} as suspended from account a where a.id = ${account}`
  return row?.suspended ?? false
}

/**
 * Keeps what is beneath a suspended account there: to move it away would end the suspension for it.
 * @param from the accounts that it is beneath now
 * @param to those that it would be beneath
 * @param dealer whose clients are moved; null where an account is. Its own suspension counts only where that stops the
 * service of its clients.
 * @throws Refusal where one that it would leave has a suspension that the caller may not lift
 */
export async function requireLiftable(
  sql: Sql,
  caller: Account,
  { from, to, dealer }: { from: Path; to: Path; dealer: number | null },
): Promise<void> {
  const left = from.filter((id) => id !== null && !to.includes(id))
  const [row] = await sql<{ name: string }[]>`
    select suspended.name from suspension s join account suspended on suspended.id = s.account join account a on a.id = s.actor
    where s.account = any (${left}::bigint[]) and s.lifted is null
      and (s.service_too or s.account is distinct from ${dealer}) and not ${mayLift(sql, caller)}
    order by suspended.role limit 1`
  if (!row) return
  throw new Refusal(
    'account_suspended',
    `${row.name} is suspended. Only who suspended it, or somebody above them, can move anything away from it.`,
  )
}

type Path = readonly (number | null)[]

/** Names the account's own parent, and nobody further up: an account must not learn who that is. */
export async function suspensionOf(sql: Sql, account: number): Promise<Refusal | null> {
  const [row] = await sql<{ parent: string; own: boolean }[]>`
    select p.name as parent,
      exists (select from suspension s where s.account = a.id and s.lifted is null) as own
    from account a join account p on p.id = a.parent where a.id = ${account} and ${suspended(sql)}`
  if (!row) return null
  return new Refusal(
    'suspended',
    `Your account is suspended. Please contact ${row.own ? row.parent : 'your provider'}.`,
  )
}
