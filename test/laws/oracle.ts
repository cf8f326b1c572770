// A second calendar, built by other means than the server's: it computes days and months with integers, and takes the
// local date in a zone from Intl. It is slow, and simple enough to be trusted.

/** A calendar day, `YYYY-MM-DD`. */
export type Day = string

const HOUR = 3_600_000

/** Returns the local day at a moment. */
export function dayOn(moment: number, zone: string): Day {
  const parts = dateFormat(zone).formatToParts(moment)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** Returns the last whole second of a local day, or of the day before where the zone skipped that day. */
export function lastSecond(day: Day, zone: string): number {
  // The search goes backward, because at a clock change an hour may occur twice and the later one counts.
  let after = Date.parse(`${day}T00:00:00Z`) + 72 * HOUR
  while (dayOn(after - HOUR, zone) > day) after -= HOUR
  return search(after - HOUR, after, (moment) => dayOn(moment, zone) > day) - 1000
}

/** Returns the first whole second of a local day, or of the day after where the zone skipped that day. */
export function firstSecond(day: Day, zone: string): number {
  let before = Date.parse(`${day}T00:00:00Z`) - 72 * HOUR
  while (dayOn(before + HOUR, zone) < day) before += HOUR
  return search(before, before + HOUR, (moment) => dayOn(moment, zone) >= day)
}

/** Returns the same day of a later month, or that month's last day. */
export function monthsLater(day: Day, months: number): Day {
  const [year, month, date] = numbers(day)
  const index = year * 12 + month - 1 + months
  const [toYear, toMonth] = [Math.floor(index / 12), (index % 12) + 1]
  return format(toYear, toMonth, Math.min(date, lengthOf(toYear, toMonth)))
}

export function dayAfter(day: Day): Day {
  const [year, month, date] = numbers(day)
  if (date < lengthOf(year, month)) return format(year, month, date + 1)
  return month < 12 ? format(year, month + 1, 1) : format(year + 1, 1, 1)
}

/** Returns the expiry after a purchase of months, which count from the later of today and the present expiry. */
export function paidUntil(expiry: number, months: number, now: number, zone: string): number {
  const from = later(dayOn(now, zone), dayOn(expiry, zone))
  return lastSecond(monthsLater(from, months), zone)
}

export function later(a: Day, b: Day): Day {
  return a > b ? a : b
}

function lengthOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Returns the first whole second between two moments for which the condition holds, by bisection. */
function search(from: number, to: number, holds: (moment: number) => boolean): number {
  let [no, yes] = [from / 1000, to / 1000]
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (holds(middle * 1000)) yes = middle
    else no = middle
  }
  return yes * 1000
}

function numbers(day: Day): [number, number, number] {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return [year, month, date]
}

function format(year: number, month: number, date: number): Day {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function dateFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  formats.set(timeZone, made)
  return made
}
