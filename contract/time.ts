/** A day of 24 hours, in milliseconds. A day of the calendar may be longer or shorter: `server/ledger/calendar.ts`. */
export const DAY_MS = 86_400_000
