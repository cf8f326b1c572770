import type { Account } from '../context.ts'
import type { Fragment } from '../postgres/pool.ts'
import { notFound } from '../refusal.ts'
import { isLow } from './account.ts'
import type { TreeContext } from './beneath.ts'

export type Child = Omit<Account, 'consumed_holding'> & {
  description: string
  created: string
  credits: number
}

/** Finds a direct child of the caller that is not closed. 'lock' locks its row, so that it stays the caller's. */
export async function childOf({ sql, account }: TreeContext, name: string, lock?: 'lock'): Promise<Child> {
  const [child] = await sql<Child[]>`
    select a.id, a.name, a.role, a.superreseller, a.reseller, a.description, a.created, h.balance as credits,
      h.id as balance_holding
    from account a join holding h on h.account = a.id and h.kind = 'balance'
    where a.parent = ${account.id} and lower(a.name) = lower(${name}) and a.closed is null
    ${lock ? sql`for no key update of a` : sql``}`
  if (!child) throw notFound()
  return child
}

type ListedChild = {
  accountId: number
  name: string
  credits: number
  low: boolean
  description: string
  created: string
}

/** Returns the caller's children in the order of their names. @param more further columns of the account `a`, after a comma */
export async function childrenOf<More extends object = object>(
  { sql, account }: TreeContext,
  more: Fragment = sql``,
): Promise<(ListedChild & More)[]> {
  return sql<(ListedChild & More)[]>`
    select a.id as "accountId", a.name, h.balance as credits, ${isLow(sql)} as low, a.description,
      a.created ${more}
    from account a join holding h on h.account = a.id and h.kind = 'balance'
    where a.parent = ${account.id} and a.closed is null order by lower(a.name)`
}
