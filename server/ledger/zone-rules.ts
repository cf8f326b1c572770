import type { Sql } from '../postgres/pool.ts'
import { type Day, dayOf, localTimeOf } from './calendar.ts'

/**
 * Returns the first day from which this process and PostgreSQL count the hours of a time zone otherwise, because one of
 * their tables of zones is older; null where they agree for three years. One moment a week is compared.
 */
export async function disputedFrom(sql: Sql, timeZone: string, now: Date): Promise<Day | null> {
  const rows = await sql<{ moment: string; local: string }[]>`
    select moment, to_char(moment at time zone ${timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS') as local
    from generate_series(${now}::timestamptz, ${now}::timestamptz + interval '3 years', interval '7 days') as moment
    order by moment`
  const disputed = rows.find(({ moment, local }) => localTimeOf(moment, timeZone) !== local)
  return disputed ? dayOf(disputed.moment, timeZone) : null
}
