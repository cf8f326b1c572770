import { expect, test } from 'vitest'
import { matching, sorted } from './arrange.ts'
import { table } from './table.ts'

interface Client {
  name: string
  months: number | null
  active: boolean
}

const clients = table<Client>({
  columns: [
    { key: 'name', header: 'Name' },
    { key: 'months', header: 'Months', align: 'right' },
    { key: 'active', header: 'Status', text: (row) => (row.active ? 'Active' : 'Inactive') },
  ],
  rowKey: (row) => row.name,
  firstSort: { by: 'name', order: 'asc' },
  pageSizes: [10, 25],
  empty: 'No clients found',
})

const rows: Client[] = [
  { name: 'client10', months: 3, active: true },
  { name: 'Client9', months: null, active: false },
  { name: 'anna', months: 12, active: true },
]

const names = (list: readonly Client[]) => list.map((row) => row.name)

test('a search looks through every field as displayed, in any case', () => {
  expect(names(matching(clients, rows, 'CLIENT'))).toEqual(['client10', 'Client9'])
  expect(names(matching(clients, rows, ' inact '))).toEqual(['Client9'])
  expect(names(matching(clients, rows, '12'))).toEqual(['anna'])
  expect(matching(clients, rows, '  ')).toBe(rows)
})

test('a search does not find what stands in two fields', () => {
  expect(matching(clients, rows, 'client103')).toEqual([])
})

test('names sort as a person would, numbers as numbers', () => {
  expect(names(sorted(clients, rows, 'name', 'asc'))).toEqual(['anna', 'Client9', 'client10'])
  expect(names(sorted(clients, rows, 'months', 'asc'))).toEqual(['client10', 'anna', 'Client9'])
})

test('empty fields come last in both orders', () => {
  expect(names(sorted(clients, rows, 'months', 'desc'))).toEqual(['anna', 'client10', 'Client9'])
})

test('a table whose first sort does not exist is refused when it is declared', () => {
  expect(() => table<Client>({ ...clients, firstSort: { by: 'age', order: 'asc' } })).toThrow('age')
  expect(() => table<Client>({ ...clients, pageSizes: [5] })).toThrow('10')
})
