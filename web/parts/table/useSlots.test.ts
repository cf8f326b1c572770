import { expect, test } from 'vitest'
import { assign } from './useSlots.ts'

const page = assign(new Map(), ['a', 'b', 'c'])

test('the next page is drawn in the elements of this one, from top to bottom', () => {
  expect([...assign(page, ['d', 'e', 'f'])]).toEqual([
    ['d', 0],
    ['e', 1],
    ['f', 2],
  ])
})

test('a row that stays keeps its elements, wherever it goes', () => {
  expect([...assign(page, ['n', 'a', 'b'])]).toEqual([
    ['n', 2],
    ['a', 0],
    ['b', 1],
  ])
})

test('a longer page makes only what is missing', () => {
  expect([...assign(page, ['c', 'd', 'e', 'f', 'g']).values()]).toEqual([2, 0, 1, 3, 4])
})

test('no two rows are ever drawn in the same elements', () => {
  let taken = page
  for (const keys of ['xyz', 'zab', 'b', '', 'abcdef', 'fedcba', 'gha']) {
    taken = assign(taken, [...keys])
    expect([...taken.keys()]).toEqual([...keys])
    expect(new Set(taken.values()).size).toBe(keys.length)
  }
})
