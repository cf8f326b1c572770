import { expect, test } from 'vitest'
import { matching, sorted } from './arrange.ts'
import { table } from './table.ts'

interface Client {
  name: string
  months: number | null
  active: boolean
}

const clients = table<Client>({
  name: 'people',
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

test('searching a table compares every field as it is displayed, and ignores case', () => {
  expect(names(matching(clients, rows, 'CLIENT'))).toEqual(['client10', 'Client9'])
  expect(names(matching(clients, rows, ' inact '))).toEqual(['Client9'])
  expect(names(matching(clients, rows, '12'))).toEqual(['anna'])
  expect(matching(clients, rows, '  ')).toBe(rows)
  // An accent is one character or two, by where it was typed.
  const accented = [{ ...rows[0], name: 'jos\u00e9' } as (typeof rows)[number]]
  expect(matching(clients, accented, 'jose\u0301')).toEqual(accented)
  // Greek has a letter for the end of a word alone, and a dotted I becomes two characters without case.
  for (const [name, terms] of [
    ['ΠΑΣΧΑΛΗΣ', ['ΠΑ', 'ΠΑΣ', 'πασ', 'πασχαλης', 'πασχαλησ']],
    ['Γιώργος', ['ΓΙΏΡΓΟΣ', 'γιώργος']],
    ['İbrahim', ['ibrahim', 'İBRAHİM']],
    ['Ana\u00a0Silva', ['ana silva', '\u200eana ']],
  ] as const)
    for (const term of terms)
      expect(matching(clients, [{ ...rows[0], name } as (typeof rows)[number]], term), term).toHaveLength(1)
})

test('searching a table finds no text that begins in one field and ends in another', () => {
  expect(matching(clients, rows, 'client103')).toEqual([])
})

test('sorting a table puts Client9 before client10, and 3 before 12', () => {
  expect(names(sorted(clients, rows, 'name', 'asc'))).toEqual(['anna', 'Client9', 'client10'])
  expect(names(sorted(clients, rows, 'months', 'asc'))).toEqual(['client10', 'anna', 'Client9'])
})

test('sorting a table puts empty fields last, ascending and descending', () => {
  expect(names(sorted(clients, rows, 'months', 'desc'))).toEqual(['anna', 'client10', 'Client9'])
})

test('declaring a table throws if its first sort or its first page size does not exist', () => {
  expect(() => table<Client>({ ...clients, firstSort: { by: 'age', order: 'asc' } })).toThrow('age')
  expect(() => table<Client>({ ...clients, pageSizes: [5] })).toThrow('10')
})
