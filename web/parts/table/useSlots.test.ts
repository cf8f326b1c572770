import { expect, test } from 'vitest'
import { assign } from './useSlots.ts'

const page = assign(new Map(), ['a', 'b', 'c'])

test('the rows of the next page reuse the elements of the rows on view, from top to bottom', () => {
  expect([...assign(page, ['d', 'e', 'f'])]).toEqual([
    ['d', 0],
    ['e', 1],
    ['f', 2],
  ])
})

test('a row of a table keeps its elements when it moves to another place on the page', () => {
  expect([...assign(page, ['n', 'a', 'b'])]).toEqual([
    ['n', 2],
    ['a', 0],
    ['b', 1],
  ])
})

test('a page with more rows reuses all elements of the shorter page, and adds the missing ones', () => {
  expect([...assign(page, ['c', 'd', 'e', 'f', 'g']).values()]).toEqual([2, 0, 1, 3, 4])
})

test('two rows of a table never share their elements, whatever pages follow each other', () => {
  let taken = page
  for (const keys of ['xyz', 'zab', 'b', '', 'abcdef', 'fedcba', 'gha']) {
    taken = assign(taken, [...keys])
    expect([...taken.keys()]).toEqual([...keys])
    expect(new Set(taken.values()).size).toBe(keys.length)
  }
})
