import type { Fragment, Sql } from '../postgres/pool.ts'

/** Returns an SQL expression of the months that a client is expected to buy: those of its last purchase, or else 1. */
export function lastMonths(sql: Sql, client: Fragment): Fragment {
  return sql`coalesce(${purchasedMonths(sql, client)}, 1)`
}

/**
 * Returns an SQL expression of the months of a client's newest purchase that was not taken back, null where there is
 * none. If the newest row is a purchase, it is that one. Otherwise the rows are read from the newest on, and each
 * retrieval takes back the purchases before it: the first that is not all taken back counts, with what is left of it.
 * @param client an expression of the client's id
 */
export function purchasedMonths(sql: Sql, client: Fragment): Fragment {
  const rows = sql`from transfer t where t.client = ${client} and t.type in ('USED', 'RETRIEVED')`
  return sql`(
    select case newest.type when 'USED' then newest.credits else (
      select kept.months from (
        select t.id, -sum(case t.type when 'RETRIEVED' then t.credits else -t.credits end)
          over (order by t.id desc) as months ${rows}
      ) kept where kept.months > 0 order by kept.id desc limit 1
    ) end
    from (select t.type, t.credits ${rows} order by t.id desc limit 1) newest
  )::int`
}
