/** `datetime` shows YYYY-MM-DD HH:mm:ss, `date` shows YYYY-MM-DD. */
export type MomentFormat = 'datetime' | 'date'

/**
 * Formats a date and time with offset or Z in the time zone `zone` (an IANA name). A plain YYYY-MM-DD and invalid text
 * are returned unchanged.
 */
export function showMoment(iso: string, zone: string, format: MomentFormat): string {
  if (isDay(iso)) return iso
  const moment = new Date(iso)
  if (Number.isNaN(moment.getTime())) return iso
  // The Swedish locale writes dates in ISO format.
  return formatter(zone, format).format(moment)
}

/** Shows a moment as YYYY-MM-DD HH:mm in the time zone `zone`. */
export function showMinute(iso: string, zone: string): string {
  return showMoment(iso, zone, 'datetime').slice(0, 16)
}

/** Returns the number of calendar days in `zone` from `now` to `iso`: 0 is today, negative is past. */
export function daysUntil(iso: string, zone: string, now: Date): number {
  const today = showMoment(now.toISOString(), zone, 'date')
  const day = showMoment(iso, zone, 'date')
  return daysFrom(today, day)
}

function daysFrom(day: string, other: string): number {
  return Math.round((Date.parse(other) - Date.parse(day)) / DAY_MS)
}

const DAY_MS = 86_400_000

/** Returns the calendar months in `zone` from `now` to `iso`, which must not be past, and the remaining days. */
export function monthsUntil(iso: string, zone: string, now: Date): { months: number; days: number } {
  const today = showMoment(now.toISOString(), zone, 'date')
  const day = showMoment(iso, zone, 'date')
  let months = 0
  while (monthsAfter(today, months + 1) <= day) months += 1
  return { months, days: daysFrom(monthsAfter(today, months), day) }
}

/** In a month without that day, the last day counts. */
function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0))
  last.setUTCDate(Math.min(date, last.getUTCDate()))
  return last.toISOString().slice(0, 10)
}

/** Returns 'today', 'tomorrow', 'in 3 days', 'yesterday' or '3 days ago'. */
export function relativeDay(days: number): string {
  return relative.format(days, 'day')
}

/**
 * Returns how long ago a moment was: 'this minute', '2 minutes ago', '3 hours ago', or from a day on by the calendar of
 * a time zone: 'yesterday', '2 days ago'.
 */
export function timeAgo(iso: string, zone: string, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - Date.parse(iso)) / 60_000))
  if (minutes < 60) return relative.format(-minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? relative.format(-hours, 'hour') : relativeDay(daysUntil(iso, zone, now))
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(zone: string, format: MomentFormat) {
  const key = `${format} ${zone}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    ...(format === 'datetime' && { timeStyle: 'medium' }),
  })
  formatters.set(key, made)
  return made
}

function isDay(iso: string) {
  return /^\d{4}-\d{2}-\d{2}$/.test(iso)
}
