import { expect, test } from 'vitest'
import { affordable, costOf } from './dueRenewal.ts'

const CLIENTS = [{ last_months: 3 }, { last_months: 1 }, { last_months: 6 }]

test('a renewal costs a month each, or what each bought last', () => {
  expect(costOf(CLIENTS, 'month')).toBe(3)
  expect(costOf(CLIENTS, 'last')).toBe(10)
})

test.each([
  [10, 'last', 3],
  [9, 'last', 2],
  [3, 'last', 1],
  [2, 'last', 0],
  [2, 'month', 2],
  [0, 'month', 0],
  [undefined, 'last', 3],
] as const)('%s credits pay for the first clients %s: %i', (balance, how, count) => {
  expect(affordable(CLIENTS, how, balance)).toEqual(CLIENTS.slice(0, count))
})
