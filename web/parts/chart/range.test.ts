import { expect, test } from 'vitest'
import { rangeOf } from './range.ts'

test('an axis begins at zero, and reaches beyond every point above and below it', () => {
  expect(rangeOf(null, null)).toEqual([0, 4])
  expect(rangeOf(3, 3)).toEqual([0, 4])
  expect(rangeOf(90, 100)).toEqual([0, 111])
  expect(rangeOf(-9, 3)).toEqual([-10, 4])
  expect(rangeOf(-9, -9)).toEqual([-10, 4])
})
