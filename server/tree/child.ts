import type * as z from 'zod/mini'
import type { AccountRow } from '../../contract/shapes.ts'
import type { Fragment } from '../postgres/pool.ts'
import { isLow } from './account.ts'
import { type Beneath, findBelow, type TreeContext } from './beneath.ts'

/** Finds a direct child of the caller that is not closed. 'lock' locks its row, so that it stays the caller's. */
export function childOf(caller: TreeContext, name: string, lock?: 'lock'): Promise<Beneath> {
  const { sql, account } = caller
  return findBelow(caller, name, sql`a.parent = ${account.id} and a.closed is null`, lock)
}

type ListedChild = z.output<typeof AccountRow>

/**
 * Returns the caller's children in the order of their names. @param more further columns of the account `a`, after a
 * comma
 */
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
