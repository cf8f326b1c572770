import { expect, test } from 'vitest'
import { merged } from './merge.ts'

test('a change replaces what it has, at whatever depth, and leaves all else as it was', () => {
  const base = { a: 1, tables: { clients: { rows: 25, dense: false }, due: { rows: 10 } } }
  expect(merged(base, { tables: { clients: { rows: 50 } }, b: [1] })).toEqual({
    a: 1,
    b: [1],
    tables: { clients: { rows: 50, dense: false }, due: { rows: 10 } },
  })
  expect(base.tables.clients.rows).toBe(25)
})

test('null removes a field, and undefined changes nothing', () => {
  expect(
    merged({ filters: { late: {}, soon: {} }, a: 1 }, { filters: { late: null }, a: undefined }),
  ).toEqual({
    filters: { soon: {} },
    a: 1,
  })
})

test('a key such as __proto__ is a key like any other', () => {
  const change = JSON.parse('{"filters": {"__proto__": {"search": "x"}}}')
  expect(JSON.stringify(merged({}, change))).toBe('{"filters":{"__proto__":{"search":"x"}}}')
  expect(({} as { search?: string }).search).toBeUndefined()
})
