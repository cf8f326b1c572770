import type { Account } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/** Finds the account `a` that meets a condition, with the path above it and its holdings. */
export async function findAccount(sql: Sql, condition: Fragment): Promise<Account | undefined> {
  const [account] = await sql<Account[]>`
    select ${accountColumns(sql)} from account a ${accountHoldings(sql)} where ${condition}`
  return account
}

/** From an account `a` with its holdings. */
export function accountColumns(sql: Sql): Fragment {
  return sql`a.id, a.name, a.role, a.superreseller, a.reseller, b.id as balance_holding, c.id as consumed_holding`
}

/** Joins the holdings of an account `a`. */
export function accountHoldings(sql: Sql): Fragment {
  return sql`join holding b on b.account = a.id and b.kind in ('balance', 'issue')
    left join holding c on c.account = a.id and c.kind = 'consumed'`
}

/** Whether the balance of holding `h` is below the threshold of its account `a`, if it has one. */
export function isLow(sql: Sql): Fragment {
  return sql`coalesce(h.balance < coalesce(a.low_own, a.low_by_parent), false)`
}

export async function balanceOf(sql: Sql, { balance_holding }: Account): Promise<number> {
  const [holding] = await sql<{ balance: number }[]>`
    select balance from holding where id = ${balance_holding}`
  if (!holding) throw new Error(`there is no holding ${balance_holding}`)
  return holding.balance
}
