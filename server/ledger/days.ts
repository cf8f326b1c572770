import type { Fragment, Sql } from '../postgres/pool.ts'
import { addDays, addMonths, type Day, dayOf, startOf } from './calendar.ts'

/** Consecutive days, or months by their first days, and the moments at which they end. */
export type Days = { days: Day[]; ends: string[] }

/** Returns the days from one up to today. */
export function daysFrom(first: Day, now: Date, zone: string): Days {
  const days: Day[] = []
  for (let day = first; day <= dayOf(now, zone); day = addDays(day, 1)) days.push(day)
  return { days, ends: days.map((day) => startOf(addDays(day, 1), zone)) }
}

/** Returns the months from that of a day up to the present one. */
export function monthsFrom(first: Day, now: Date, zone: string): Days {
  const days: Day[] = []
  for (let month = `${first.slice(0, -2)}01`; month <= dayOf(now, zone); month = addMonths(month, 1))
    days.push(month)
  return { days, ends: days.map((month) => startOf(addMonths(month, 1), zone)) }
}

/**
 * Returns an expression of the day that a moment lies in, counted from 1. What is later than all days counts for the
 * last.
 */
export function bucketOf(sql: Sql, moment: Fragment, { days, ends }: Days): Fragment {
  return sql`least(width_bucket(${moment}, ${ends}::timestamptz[]), ${days.length - 1}) + 1`
}
