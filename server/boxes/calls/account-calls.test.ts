import { expect, test } from 'vitest'
import { endDatesIn } from './account-calls.ts'

test('the last day of a service is told as Ministra tells it, with the days of the calendar that are left', () => {
  const endDate = endDatesIn('Europe/Berlin')
  const expiry = Date.parse('2026-03-30T21:59:59.000Z')
  for (const [now, left] of [
    ['2026-03-28T22:59:59.000Z', '2 days'],
    // Midnight in Berlin, whose clocks are set forward in the night after.
    ['2026-03-28T23:00:00.000Z', '1 days'],
    ['2026-03-29T21:59:59.000Z', '1 days'],
    ['2026-03-29T22:00:00.000Z', '0 days'],
    ['2026-03-30T21:59:59.000Z', '0 days'],
  ] as const)
    expect(endDate(expiry, new Date(now)), now).toBe(`03.30.2026 (${left})`)
})
