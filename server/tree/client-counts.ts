import { type ClientFilter, expiringUntil } from '../../contract/clients.ts'
import type { Context } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/**
 * Returns the numbers of the caller's clients by their expiry, as a table `kept` for FROM: of all clients for the
 * admin.
 */
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
      const month = monthOf(now)
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

/** Returns when the calendar month of a moment began, by which the counts are kept. */
function monthOf(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
}

/**
 * Returns a query of `countsInState` for every state at once: rows of `account`, `all`, `active`, `expiring` and
 * `expired`. Each kept count is read once: first the months as if this one ended nobody's service, then what its days
 * change in that.
 * @param accounts a query of the ids of the accounts; as an array, because a join would read the counts of all
 */
export function countsByState(sql: Sql, now: Date, accounts: Fragment): Fragment {
  const [month, until] = [monthOf(now), expiringUntil(now)]
  return sql`
    select * from (
      select account, clients as "all", case when month < ${month} then 0 else clients end as active, 0 as expiring,
        case when month < ${month} then clients else 0 end as expired
      from settled_month
      union all
      select account, 0, case when expiry < ${now} then -clients else 0 end,
        case when expiry < ${now} then 0 else clients end, case when expiry < ${now} then clients else 0 end
      from settled_count where expiry >= ${month} and expiry < ${until}
      union all
      select account, clients, case when expiry < ${now} then 0 else clients end,
        case when expiry >= ${now} and expiry < ${until} then clients else 0 end,
        case when expiry < ${now} then clients else 0 end
      from (
        select dealer as account, expiry, clients from count_change
        union all
        select superreseller, expiry, clients from count_change
      ) as change
    ) as states
    where account = any (array(${accounts}))`
}
