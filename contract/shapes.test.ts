import { expect, test } from 'vitest'
import { Moment } from './shapes.ts'

test('a moment is one that the calendar has, written as it is shown', () => {
  const accepted = (text: string) => Moment.safeParse(text).success
  for (const text of ['2026-02-28T23:59:59.000Z', '2028-02-29T00:00:00.000Z', '0001-01-01T00:00:00.000Z']) {
    expect(accepted(text), text).toBe(true)
  }
  // PostgreSQL refuses the last of these, and Date takes each of the others for another day.
  const none = ['2026-02-30T00:00:00.000Z', '2027-02-29T00:00:00.000Z', '2026-01-31T24:00:00.000Z']
  for (const text of [...none, '0000-01-01T00:00:00.000Z', '2026-01-31 00:00:00.000Z', '']) {
    expect(accepted(text), text).toBe(false)
  }
})
