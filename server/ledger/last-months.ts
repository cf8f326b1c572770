import type { Fragment, Sql } from '../postgres/pool.ts'

/**
 * Returns an SQL expression of the months of a client's newest purchase that was not taken back, 1 where there is none.
 * Read from the newest row on, each retrieval takes back the purchases before it; the first that is not all taken back
 * is the newest.
 * @param client an expression of the client's id
 */
export function lastMonths(sql: Sql, client: Fragment): Fragment {
  return sql`coalesce((
    select kept.months from (
      select t.id, -sum(case t.type when 'RETRIEVED' then t.credits else -t.credits end)
        over (order by t.id desc) as months
      from transfer t where t.client = ${client} and t.type in ('USED', 'RETRIEVED')
    ) kept where kept.months > 0 order by kept.id desc limit 1
  ), 1)::int`
}
