import { expiringUntil } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { type Condition, type Fragment, holds, own } from '../../tree/selection.ts'
import type { Counts } from './seen.ts'

/** The counts as they are kept, of some expiries or of all: no client is looked at. */
export async function countKept(
  { sql, account, now }: Context,
  expiries?: readonly string[],
): Promise<Counts> {
  const kept = account.role === 'admin' ? sql`superreseller_clients` : sql`dealer_clients`
  const [counts] = await sql<Counts[]>`
    select coalesce(sum(clients), 0) as all,
      coalesce(sum(clients) filter (where expiry >= ${now}), 0) as active,
      coalesce(sum(clients) filter (where expiry >= ${now} and expiry < ${expiringUntil(now)}), 0) as expiring,
      coalesce(sum(clients) filter (where expiry < ${now}), 0) as expired
    from ${kept} where ${account.role === 'admin' ? sql`true` : sql`dealer = ${account.id}`}
      and ${expiries ? sql`expiry = any (${expiries}::timestamptz[])` : sql`true`}`
  return counts as Counts
}

/** All that meet a condition, looked at one by one. */
export async function count({ sql, account, now }: Context, condition: Condition): Promise<Counts> {
  const [counts] = await sql<Counts[]>`
    select ${byState(sql, now)} from directory f
    where ${own(sql, account, sql`f`)} and ${holds(sql, condition)}`
  return counts as Counts
}

/** The counts of rows with an expiry, as columns. */
export function byState(sql: Context['sql'], now: Date): Fragment {
  return sql`
    count(*) as all,
    count(*) filter (where expiry >= ${now}) as active,
    count(*) filter (where expiry >= ${now} and expiry < ${expiringUntil(now)}) as expiring,
    count(*) filter (where expiry < ${now}) as expired`
}
