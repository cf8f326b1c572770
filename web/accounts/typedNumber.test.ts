import { expect, test } from 'vitest'
import { numberIn } from './typedNumber.ts'

test('a number is read as the console writes it and as people type it, and nothing else is a number', () => {
  expect(['1500', '1,500', ' 1 500 ', '007'].map(numberIn)).toEqual([1500, 1500, 1500, 7])
  expect(['٥٠', '۵۰', '５０', '१,५००', '\u200e50\u200e'].map(numberIn)).toEqual([50, 50, 50, 1500, 50])
  for (const typed of ['', ' ', '5²', '①', '-1', '1.5', '1e3', '0x1', 'ten', '10,00', '1,5', '1,50,0', '1 5'])
    expect(numberIn(typed), typed).toBeNaN()
})
