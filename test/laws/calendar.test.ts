import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../../contract/time.ts'
import { addDays, addMonths, dayOf, endOf, startOf } from '../../server/ledger/calendar.ts'
import { renewed, started } from '../../server/ledger/months.ts'
import { type Day, dayAfter, dayOn, firstSecond, lastSecond, monthsLater, paidUntil } from './oracle.ts'
import { seedOf } from './runs.ts'

/** Zones whose clocks change at, before or across midnight, and some whose clocks never change. */
const ZONES = [
  'UTC',
  'Europe/Lisbon',
  // Until 2019 clocks skipped midnight in October and repeated it in February.
  'America/Sao_Paulo',
  // Samoa skipped 30 December 2011.
  'Pacific/Apia',
  // In March clocks skip the last hour of a Saturday.
  'America/Nuuk',
  'America/Toronto',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
]

/** Days on which clocks changed; the tests look at the days around them as well. */
const EDGES: [string, Day][] = [
  ['Europe/Lisbon', '2025-10-26'],
  ['Europe/Lisbon', '2026-03-29'],
  ['Europe/Lisbon', '2026-10-25'],
  ['America/Sao_Paulo', '2017-10-15'],
  ['America/Sao_Paulo', '2018-02-18'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Sao_Paulo', '2019-02-17'],
  ['Pacific/Apia', '2011-12-30'],
  ['America/Nuuk', '2024-03-31'],
  ['America/Nuuk', '2024-10-27'],
  ['America/Toronto', '2026-03-08'],
  ['America/Toronto', '2026-11-01'],
  ['America/Havana', '2026-03-08'],
  ['America/Havana', '2026-11-01'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['Australia/Lord_Howe', '2026-04-05'],
]

const zone = fc.constantFrom(...ZONES)
const moment = fc.integer({ min: Date.parse('2009-01-01'), max: Date.parse('2035-01-01') })
const day = moment.map((ms) => new Date(ms).toISOString().slice(0, 10))
const months = fc.integer({ min: 0, max: 12 })

const seed = seedOf('calendar')

function holds<Ts extends [unknown, ...unknown[]]>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { seed, numRuns: 2_000 })
}

describe('a day', () => {
  test('is the local date in its zone', () => {
    holds(
      fc.property(moment, zone, (at, zone) => {
        expect(dayOf(new Date(at), zone)).toBe(dayOn(at, zone))
      }),
    )
  })

  test('ends with its last second and begins with its first, in every zone', () => {
    holds(
      fc.property(day, zone, (day, zone) => {
        expect(Date.parse(endOf(day, zone)), `the end of ${day} in ${zone}`).toBe(lastSecond(day, zone))
        expect(Date.parse(startOf(day, zone)), `the start of ${day} in ${zone}`).toBe(firstSecond(day, zone))
      }),
    )
  })

  test.each(EDGES)('ends with its last second around the change of clocks in %s on %s', (zone, around) => {
    for (const day of daysFrom(around, -4, 9)) {
      expect(endOf(day, zone), day).toBe(new Date(lastSecond(day, zone)).toISOString())
      expect(startOf(day, zone), day).toBe(new Date(firstSecond(day, zone)).toISOString())
    }
  })

  test('is the local date of its own end, unless its zone skipped it', () => {
    for (const [zone, around] of EDGES) {
      for (const day of daysFrom(around, -4, 9)) {
        const wasSkipped = zone === 'Pacific/Apia' && day === '2011-12-30'
        expect(dayOf(endOf(day, zone), zone)).toBe(wasSkipped ? '2011-12-29' : day)
      }
    }
  })
})

describe('months', () => {
  test('lead to the same day, or to the last of a shorter month', () => {
    holds(
      fc.property(day, months, (day, months) => {
        expect(addMonths(day, months)).toBe(monthsLater(day, months))
      }),
    )
  })

  test('lead to the right day from every day of four years with a leap year', () => {
    for (const day of daysFrom('2027-01-01', 0, 4 * 365 + 1)) {
      expect(addDays(day, 1)).toBe(dayAfter(day))
      for (let count = 1; count <= 12; count += 1) expect(addMonths(day, count)).toBe(monthsLater(day, count))
    }
  })

  test.each([
    ['2026-01-31', 1, '2026-02-28'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2100-01-31', 1, '2100-02-28'],
    ['2000-01-31', 1, '2000-02-29'],
    ['2026-08-31', 1, '2026-09-30'],
  ])('from %s by %i lead to %s', (from, count, to) => {
    expect(addMonths(from, count)).toBe(to)
    expect(monthsLater(from, count)).toBe(to)
  })

  test('count from the later of today and the expiry', () => {
    holds(
      fc.property(moment, fc.integer({ min: -400, max: 400 }), months, zone, (now, left, months, zone) => {
        const expiry = lastSecond(dayOn(now + left * DAY_MS, zone), zone)
        const { expiry: ends } = renewed(new Date(expiry).toISOString(), months, new Date(now), zone)
        expect(Date.parse(ends)).toBe(paidUntil(expiry, months, now, zone))
      }),
    )
  })

  test('of a new client count from today, and a trial ends with today or tomorrow', () => {
    holds(
      fc.property(moment, fc.oneof(months, fc.constant('2d' as const)), zone, (now, months, zone) => {
        const today = dayOn(now, zone)
        const last = months === '2d' ? dayAfter(today) : monthsLater(today, months)
        expect(Date.parse(started(months, new Date(now), zone).expiry)).toBe(lastSecond(last, zone))
      }),
    )
  })
})

function daysFrom(day: Day, offset: number, count: number): Day[] {
  const first = Date.parse(day) + offset * DAY_MS
  return Array.from({ length: count }, (_, index) =>
    new Date(first + index * DAY_MS).toISOString().slice(0, 10),
  )
}
