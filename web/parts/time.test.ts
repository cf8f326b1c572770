import { expect, test } from 'vitest'
import { daysUntil, monthsUntil, relativeDay, showMoment, timeAgo } from './time.ts'

test('a date and time is shown in the given time zone', () => {
  expect(showMoment('2026-11-21T23:30:05Z', 'UTC', 'datetime')).toBe('2026-11-21 23:30:05')
  expect(showMoment('2026-11-21T23:30:05Z', 'Asia/Karachi', 'datetime')).toBe('2026-11-22 04:30:05')
  expect(showMoment('2026-11-21T23:30:05Z', 'America/Toronto', 'date')).toBe('2026-11-21')
})

test('midnight is shown as 00, not as 24', () => {
  expect(showMoment('2026-11-21T00:00:00Z', 'UTC', 'datetime')).toBe('2026-11-21 00:00:00')
})

test('a plain day is the same in every time zone, and invalid text is unchanged', () => {
  expect(showMoment('2026-11-21', 'Pacific/Honolulu', 'date')).toBe('2026-11-21')
  expect(showMoment('never', 'UTC', 'date')).toBe('never')
})

test('days are counted by the calendar, not by hours', () => {
  const late = new Date('2026-11-21T23:59:00Z')
  expect(daysUntil('2026-11-22T00:01:00Z', 'UTC', late)).toBe(1)
  expect(daysUntil('2026-11-21', 'UTC', late)).toBe(0)
  expect(daysUntil('2026-03-30', 'Europe/London', new Date('2026-03-28T12:00:00Z'))).toBe(2)
})

test('what was long ago is told in hours, and from a day on by the calendar', () => {
  const now = new Date('2026-11-25T08:00:00Z')
  expect(timeAgo('2026-11-25T07:59:30Z', 'UTC', now)).toBe('this minute')
  expect(timeAgo('2026-11-24T09:00:00Z', 'UTC', now)).toBe('23 hours ago')
  expect(timeAgo('2026-11-24T07:00:00Z', 'UTC', now)).toBe('yesterday')
  expect(timeAgo('2026-11-23T16:00:00Z', 'UTC', now)).toBe('2 days ago')
  expect(timeAgo('2026-11-24T03:00:00Z', 'America/Toronto', now)).toBe('2 days ago')
})

test('days relative to today are written in words', () => {
  expect([0, 1, -1, 3, -3].map(relativeDay)).toEqual([
    'today',
    'tomorrow',
    'yesterday',
    'in 3 days',
    '3 days ago',
  ])
})

test.each([
  ['2026-05-15', '2026-07-15', { months: 2, days: 0 }],
  ['2026-05-15', '2026-05-31', { months: 0, days: 16 }],
  ['2026-05-15', '2026-07-14', { months: 1, days: 29 }],
  // A month bought on the 31st ends on the last day of the next month.
  ['2026-01-31', '2026-02-28', { months: 1, days: 0 }],
  ['2024-01-31', '2024-02-28', { months: 0, days: 28 }],
  ['2026-12-31', '2027-03-01', { months: 2, days: 1 }],
])('the time from %s to %s is counted in calendar months and days', (today, day, apart) => {
  expect(monthsUntil(day, 'UTC', new Date(`${today}T12:00:00Z`))).toEqual(apart)
})
