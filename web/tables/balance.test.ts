import { describe, expect, test } from 'vitest'
import { balanceTone } from './balance.ts'

describe('the tone of a balance', () => {
  test.each([
    [31, 'good'],
    [30, 'warn'],
    [1, 'warn'],
    [0, 'bad'],
    [-1, 'bad'],
  ] as const)('of %i is %s', (credits, tone) => {
    expect(balanceTone(credits)).toBe(tone)
  })
})
