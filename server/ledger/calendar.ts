import { Temporal } from 'temporal-polyfill'

/** A calendar day, `YYYY-MM-DD`. */
export type Day = string

export function dayOf(moment: Date | string, zone: string): Day {
  // A day begins and ends with a second everywhere.
  const second = Math.floor(new Date(moment).getTime() / 1000)
  return remember(days, `${second} ${zone}`, () =>
    Temporal.Instant.fromEpochMilliseconds(second * 1000)
      .toZonedDateTimeISO(zone)
      .toPlainDate()
      .toString(),
  )
}

const days = new Map<string, Day>()
const MOST_REMEMBERED = 20_000

/** Returns what `work` returned for the same key before: Temporal takes as long as a statement of the database. */
export function remember<Value>(known: Map<string, Value>, key: string, work: () => Value): Value {
  const found = known.get(key)
  if (found !== undefined) return found
  const value = work()
  if (known.size === MOST_REMEMBERED) known.clear()
  known.set(key, value)
  return value
}

/**
 * Returns the last second of a day in a zone, 23:59:59, as a moment. Where a clock change makes that second happen
 * twice, it is the later one: the day's service ends when the day does. Where a change skips it, as in the last hour of
 * a Saturday in Nuuk, or with a whole day in Apia, it is the last second before the next day.
 */
export function endOf(day: Day, zone: string): string {
  const date = Temporal.PlainDate.from(day)
  const last = date.toPlainDateTime('23:59:59').toZonedDateTime(zone, { disambiguation: 'later' })
  if (last.toPlainDate().equals(date)) return iso(last.epochMilliseconds)
  return iso(date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds - 1000)
}

/** The moment at which a day begins in a zone, which is not always midnight. */
export function startOf(day: Day, zone: string): string {
  return iso(Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds)
}

/** What a clock in a zone shows at a moment: `YYYY-MM-DDTHH:MM:SS`. */
export function localTimeOf(moment: string, zone: string): string {
  return Temporal.Instant.from(moment)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'second' })
}

/** The same day of a later month, or that month's last day where it is shorter. */
export function addMonths(day: Day, months: number): Day {
  return Temporal.PlainDate.from(day).add({ months }).toString()
}

export function addDays(day: Day, days: number): Day {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}

export function later(a: Day, b: Day): Day {
  return a > b ? a : b
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
