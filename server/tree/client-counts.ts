import { type ClientFilter, expiringUntil } from '../../contract/clients.ts'
import type { Context } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/** Returns the numbers of the caller's clients by their expiry, as a table `kept` for FROM: of all clients for the admin. */
export function countsByExpiry(sql: Sql, { id, role }: Context['account']): Fragment {
  return role === 'admin'
    ? sql`total_count as kept`
    : sql`(select expiry, clients from client_count where account = ${id}) as kept`
}

/** Returns a query of how many clients a dealer has, as `count`. */
export function countOfDealer(sql: Sql, dealer: number): Fragment {
  return sql`select coalesce(sum(clients), 0)::int as count from client_count where account = ${dealer}`
}

/**
 * Returns a query of how many clients each dealer has in a state, and of those beneath each superreseller: rows of
 * `account` and `clients` that are to be added up. Whole months that are past are one row each.
 */
export function countsInState(sql: Sql, filter: ClientFilter, now: Date): Fragment {
  switch (filter) {
    case 'all':
      return sql`select account, clients from settled_month union all ${changesIn(sql, sql`true`)}`
    case 'active':
      return sql`
        ${countsInState(sql, 'all', now)}
        union all
        select account, -clients from (${countsInState(sql, 'expired', now)}) as expired`
    case 'expiring':
      return sql`
        select account, clients from client_count where expiry >= ${now} and expiry < ${expiringUntil(now)}`
    case 'expired': {
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
      return sql`
        select account, clients from settled_month where month < ${month}
        union all
        select account, clients from settled_count where expiry >= ${month} and expiry < ${now}
        union all
        ${changesIn(sql, sql`expiry < ${now}`)}`
    }
  }
}

/** Returns a query of the changes that are not settled yet. */
function changesIn(sql: Sql, which: Fragment): Fragment {
  return sql`
    select dealer as account, clients from count_change where ${which}
    union all
    select superreseller, clients from count_change where ${which}`
}

/**
 * Returns a query of `countsInState` for every state at once: rows of `account`, `all`, `active`, `expiring` and `expired`.
 * @param accounts a query of the ids of the accounts; as an array, because a join would read the counts of all
 */
export function countsByState(sql: Sql, now: Date, accounts: Fragment): Fragment {
  return sql`
    select * from (
      select account, clients as "all", clients as active, 0 as expiring, 0 as expired
      from (${countsInState(sql, 'all', now)}) as kept
      union all
      select account, 0, 0, clients, 0 from (${countsInState(sql, 'expiring', now)}) as expiring
      union all
      select account, 0, -clients, 0, clients from (${countsInState(sql, 'expired', now)}) as expired
    ) as states
    where account = any (array(${accounts}))`
}
