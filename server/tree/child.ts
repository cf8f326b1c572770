import type { Account, Context } from '../context.ts'
import { notFound } from '../refusal.ts'

/** An account one level beneath the caller. */
export type Child = Omit<Account, 'consumed_holding'> & {
  description: string
  created: string
  credits: number
}

/** Finds the caller's direct child by its name, with its present balance. Other accounts are not found. */
export async function childOf(
  { sql, account }: Pick<Context, 'sql' | 'account'>,
  name: string,
): Promise<Child> {
  const [child] = await sql<Child[]>`
    select a.id, a.name, a.role, a.superreseller, a.reseller, a.description, a.created, h.balance as credits,
      h.id as balance_holding
    from account a join holding h on h.account = a.id and h.kind = 'balance'
    where a.parent = ${account.id} and lower(a.name) = lower(${name})`
  if (!child) throw notFound()
  return child
}
