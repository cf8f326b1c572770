import { expect, test } from 'vitest'
import { number, share } from './number.ts'

test('a number has commas, and the sign that stands before credits that left', () => {
  expect([number(1200), number(-3), number(0)]).toEqual(['1,200', '−3', '0'])
})

test('a part is never told as all or as nothing where it is neither', () => {
  const shares = [share(0, 0), share(0, 300), share(1, 300), share(3, 4), share(199, 200), share(200, 200)]
  expect(shares).toEqual(['0 %', '0 %', '1 %', '75 %', '99 %', '100 %'])
})
