import type { LevelName } from '../../contract/levels.ts'
import type { Account, Context } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { notFound } from '../refusal.ts'

export type Beneath = Omit<Account, 'role' | 'consumed_holding'> & {
  role: LevelName
  parent: number
  closed: string | null
  description: string
  created: string
  credits: number
}

export type TreeContext = Pick<Context, 'sql' | 'account'>

/**
 * Finds an account beneath the caller by its name. 'lock' locks its row until the transaction ends, so that its place
 * and its suspension stay as they are; a login locks the path above it too. Closed accounts can be read, not locked.
 */
export function beneathOf(caller: TreeContext, name: string, lock?: 'lock'): Promise<Beneath> {
  return findBelow(caller, name, isBeneath(caller.sql, caller.account, caller.sql`a`), lock)
}

export function requireOpen(account: Beneath): Beneath {
  if (account.closed) throw notFound()
  return account
}

/** Finds an account that the caller manages and that is not closed: a direct child, or for the admin any account. */
export function managedBy(caller: TreeContext, name: string, lock?: 'lock'): Promise<Beneath> {
  const { sql, account } = caller
  const isManaged = account.role === 'admin' ? sql`true` : sql`a.parent = ${account.id}`
  return findBelow(caller, name, sql`${isManaged} and a.closed is null`, lock)
}

/** Returns the caller itself, or the account beneath it that has this name. */
export function accountSeenBy(
  caller: TreeContext,
  name: string | undefined,
): Promise<Pick<Account, 'id' | 'name' | 'role'>> {
  const { account } = caller
  if (name === undefined || name.toLowerCase() === account.name.toLowerCase()) return Promise.resolve(account)
  return beneathOf(caller, name)
}

export function isBeneath(sql: Sql, { id, role }: Pick<Account, 'id' | 'role'>, row: Fragment): Fragment {
  switch (role) {
    case 'admin':
      return sql`${row}.role <> 'admin'`
    case 'superreseller':
      return sql`${row}.superreseller = ${id}`
    case 'reseller':
      return sql`${row}.reseller = ${id}`
    case 'dealer':
      return sql`false`
  }
}

/** Finds the account `a` of this name that meets a condition. @throws Refusal where none does */
export async function findBelow(
  { sql }: TreeContext,
  name: string,
  condition: Fragment,
  lock?: 'lock',
): Promise<Beneath> {
  const [found] = await sql<Beneath[]>`
    select a.id, a.name, a.role, a.parent, a.superreseller, a.reseller, a.closed, a.description, a.created,
      h.id as balance_holding, h.balance as credits
    from account a join holding h on h.account = a.id and h.kind = 'balance'
    where lower(a.name) = lower(${name}) and a.role <> 'admin' and ${condition}
    ${lock ? sql`and a.closed is null for no key update of a` : sql``}`
  if (!found) throw notFound()
  return found
}
