/** A day of 24 hours, in milliseconds. A day of the calendar may be longer or shorter: `server/ledger/calendar.ts`. */
export const DAY_MS = 86_400_000

export const MINUTE_MS = 60_000

export const HOUR_MS = 60 * MINUTE_MS

/** The moment so many milliseconds before another. */
export function before(now: Date, milliseconds: number): Date {
  return new Date(now.getTime() - milliseconds)
}

/**
 * The latest moment that something may be dated which has happened: clocks differ a little. What is dated later was
 * written while the clock was ahead, and is not believed.
 */
export function soonAfter(now: Date): Date {
  return new Date(now.getTime() + MINUTE_MS)
}

/** How long a call may be repeated under its Idempotency-Key, in milliseconds. */
export const KEY_LIFE_MS = 24 * HOUR_MS

/** Formats a moment in UTC, rounded up to the next whole minute: `2026-11-27 10:00 UTC`. */
export function minuteOf(moment: Date): string {
  const whole = new Date(Math.ceil(moment.getTime() / MINUTE_MS) * MINUTE_MS)
  return `${whole.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
