import { expect, test } from 'vitest'
import { CreditAmount } from '../../contract/credits.ts'
import { CREDIT_AMOUNTS } from './creditAmounts.ts'

test('an update of credits offers the amounts of the specification, which the server accepts', () => {
  expect(CREDIT_AMOUNTS).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 300, 400, 500, 600, 700, 800,
    900, 1000, 1500, 2000, 2500, 5000, 10000,
  ])
  for (const amount of CREDIT_AMOUNTS) expect(CreditAmount.safeParse(amount).success).toBe(true)
})
