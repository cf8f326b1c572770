import { type ExpiryState, expiringUntil, expiryState } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import type { Fragment, Sql } from '../../postgres/pool.ts'
import { countsByExpiry } from '../../tree/client-counts.ts'
import { matches, type Search } from '../../tree/search.ts'
import { isVisibleTo } from '../../tree/selection.ts'
import type { Counts } from './page.ts'

/** Adds up the counts that the database keeps for each expiry. Reads no client. */
export async function keptCounts({ sql, account, now }: Context): Promise<Counts> {
  const [counts] = await sql<Counts[]>`
    select coalesce(sum(clients), 0) as all,
      coalesce(sum(clients) filter (where expiry >= ${now}), 0) as active,
      coalesce(sum(clients) filter (where expiry >= ${now} and expiry < ${expiringUntil(now)}), 0) as expiring,
      coalesce(sum(clients) filter (where expiry < ${now}), 0) as expired
    from ${countsByExpiry(sql, account)}`
  return counts as Counts
}

/** Adds up how many clients match a search by their expiry. */
export function countsOfExpiries({ expiries }: Search, now: Date): Counts {
  const clientsIn = (...states: ExpiryState[]) =>
    expiries.reduce(
      (sum, { expiry, clients }) => sum + (states.includes(expiryState(expiry, now)) ? clients : 0),
      0,
    )
  const [active, expiring, expired] = [
    clientsIn('active', 'expiring'),
    clientsIn('expiring'),
    clientsIn('expired'),
  ]
  return { all: active + expired, active, expiring, expired }
}

/** Counts what a search matches by reading every client that the caller may see. */
export async function scannedCounts({ sql, account, now }: Context, search: Search): Promise<Counts> {
  const [counts] = await sql<Counts[]>`
    select ${countColumns(sql, now)} from directory entry
    where ${isVisibleTo(sql, account, sql`entry`)} and ${matches(sql, search)}`
  return counts as Counts
}

/**
 * The four counts as columns of a query over rows that have an `expiry`. PostgreSQL counts each of the three different
 * ones once; counting each state by itself takes twice as long.
 */
export function countColumns(sql: Sql, now: Date): Fragment {
  const before = (moment: Date) => sql`count(*) filter (where expiry < ${moment}::timestamptz)`
  return sql`
    count(*) as all,
    count(*) - ${before(now)} as active,
    ${before(expiringUntil(now))} - ${before(now)} as expiring,
    ${before(now)} as expired`
}
