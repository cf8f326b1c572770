import type * as z from 'zod/mini'
import type { StartMonths } from '../../contract/clients.ts'
import { refuseField } from '../refusal.ts'
import { addDays, addMonths, type Day, dayOf, endOf, later } from './calendar.ts'

/** A service period that was counted: its last second, and the day from which its months were counted. */
export type Counted = { expiry: string; countedFrom: Day }

/** What paid months bring: counted from the later of today and the present expiry, on the calendar of the zone. */
export function renewed(expiry: string, months: number, now: Date, zone: string): Counted {
  return counted(later(dayOf(now, zone), dayOf(expiry, zone)), months, zone)
}

/** The same for many at one moment: most of a dealer's clients end on one of a few days, and each is counted once. */
export function renewing(months: number, now: Date, zone: string): (expiry: string) => Counted {
  const known = new Map<string, Counted>()
  return (expiry) => {
    const service = known.get(expiry) ?? renewed(expiry, months, now, zone)
    known.set(expiry, service)
    return service
  }
}

/** The first service of a new client: a trial to the end of today (0) or of tomorrow ('2d'), or paid months. */
export function started(months: z.output<typeof StartMonths>, now: Date, zone: string): Counted {
  const today = dayOf(now, zone)
  if (months === '2d') return { expiry: endOf(addDays(today, 1), zone), countedFrom: today }
  return counted(today, months, zone)
}

/** A number of months from a day, to that day's last second; no month at all is that day itself. */
export function counted(from: Day, months: number, zone: string): Counted {
  const expiry = endOf(addMonths(from, months), zone)
  // A year of more than four digits is written with a sign, and no moment on the wire.
  if (expiry.startsWith('+'))
    throw refuseField('invalid_input', 'months', 'The service would last past the year 9999.')
  return { expiry, countedFrom: from }
}
