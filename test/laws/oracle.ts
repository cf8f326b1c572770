// The calendar once more, by other means than the server's: whole numbers for days and months, and for zones what
// Intl says a clock on the wall there shows. Slow, and simple enough to be believed.

/** A calendar day, `YYYY-MM-DD`. */
export type Day = string

const HOUR = 3_600_000

/** The day that a calendar on the wall shows at a moment. */
export function dayOn(moment: number, zone: string): Day {
  const parts = wall(zone).formatToParts(moment)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`
}

/** The last whole second that a calendar on the wall shows a day, or shows one before it where that day never was. */
export function lastSecond(day: Day, zone: string): number {
  // From well after the day back to it: at a clock change an hour may come twice, and the later one counts.
  let after = Date.parse(`${day}T00:00:00Z`) + 72 * HOUR
  while (dayOn(after - HOUR, zone) > day) after -= HOUR
  return search(after - HOUR, after, (moment) => dayOn(moment, zone) > day) - 1000
}

/** The first whole second that a calendar on the wall shows a day, or the one after it where that day never was. */
export function firstSecond(day: Day, zone: string): number {
  let before = Date.parse(`${day}T00:00:00Z`) - 72 * HOUR
  while (dayOn(before + HOUR, zone) < day) before += HOUR
  return search(before, before + HOUR, (moment) => dayOn(moment, zone) >= day)
}

/** The same day of a later month, or that month's last. */
export function monthsLater(day: Day, months: number): Day {
  const [year, month, date] = numbers(day)
  const index = year * 12 + month - 1 + months
  const [toYear, toMonth] = [Math.floor(index / 12), (index % 12) + 1]
  return written(toYear, toMonth, Math.min(date, lengthOf(toYear, toMonth)))
}

/** The next day. */
export function dayAfter(day: Day): Day {
  const [year, month, date] = numbers(day)
  if (date < lengthOf(year, month)) return written(year, month, date + 1)
  return month < 12 ? written(year, month + 1, 1) : written(year + 1, 1, 1)
}

/** Where a purchase of months leads: from the later of today and the present expiry to that day's last second. */
export function paidUntil(expiry: number, months: number, now: number, zone: string): number {
  const from = later(dayOn(now, zone), dayOn(expiry, zone))
  return lastSecond(monthsLater(from, months), zone)
}

/** The later of two days. */
export function later(a: Day, b: Day): Day {
  return a > b ? a : b
}

function lengthOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** The first whole second in between at which something is so that was not so before. */
function search(from: number, to: number, isSo: (moment: number) => boolean): number {
  let [no, yes] = [from / 1000, to / 1000]
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (isSo(middle * 1000)) yes = middle
    else no = middle
  }
  return yes * 1000
}

function numbers(day: Day): [number, number, number] {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return [year, month, date]
}

function written(year: number, month: number, date: number): Day {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`
}

const walls = new Map<string, Intl.DateTimeFormat>()

function wall(timeZone: string): Intl.DateTimeFormat {
  const known = walls.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  walls.set(timeZone, format)
  return format
}
