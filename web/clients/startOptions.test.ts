import { expect, test } from 'vitest'
import { StartMonths } from '../../contract/clients.ts'
import { START_OPTIONS } from './startOptions.ts'

test('the form of a new client offers two trials, then 1 to 12 months, which the server accepts', () => {
  expect(START_OPTIONS.map(({ value }) => value)).toEqual([0, '2d', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  expect(START_OPTIONS.slice(0, 3).map(({ label }) => label)).toEqual([
    'Trial - Expires at midnight',
    'Trial - Expires tomorrow midnight',
    '1 month',
  ])
  for (const { value } of START_OPTIONS) expect(StartMonths.parse(value)).toBe(value)
})
