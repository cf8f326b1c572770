import type * as z from 'zod/mini'
import type { StartMonths } from '../../contract/clients.ts'
import { fieldRefusal } from '../refusal.ts'
import { addDays, addMonths, type Day, dayOf, endOf, later, remember } from './calendar.ts'

/** A period of service: its last second, and the day from which its months were counted. */
export type ServicePeriod = { expiry: string; countedFrom: Day }

/** Adds paid months to an expiry: counts them from the later of today and that expiry, on the calendar of the zone. */
export function renewed(expiry: string, months: number, now: Date, zone: string): ServicePeriod {
  return periodFrom(later(dayOf(now, zone), dayOf(expiry, zone)), months, zone)
}

/** Returns the first service of a new client: a trial to the end of today (0) or of tomorrow ('2d'), or paid months. */
export function started(months: z.output<typeof StartMonths>, now: Date, zone: string): ServicePeriod {
  const today = dayOf(now, zone)
  if (months === '2d') return { expiry: endOf(addDays(today, 1), zone), countedFrom: today }
  return periodFrom(today, months, zone)
}

/** Counts months from a day, up to the last second of the day reached; 0 months end on the same day. */
export function periodFrom(from: Day, months: number, zone: string): ServicePeriod {
  return remember(periods, `${from} ${months} ${zone}`, () => {
    const expiry = endOf(addMonths(from, months), zone)
    // ISO 8601 writes a year of more than four digits with a sign, and the wire's format has no such moment.
    if (expiry.startsWith('+'))
      throw fieldRefusal('invalid_input', 'months', 'The service would last past the year 9999.')
    return { expiry, countedFrom: from }
  })
}

const periods = new Map<string, ServicePeriod>()
