import { searchable } from '../searchable.ts'
import { type Column, type Order, type Sortable, sortValueOf, type Table, textOf } from './table.ts'

/** Returns the rows that contain `search` in any displayed field, ignoring case, in the given order. */
export function matching<Row extends object>(
  table: Table<Row>,
  rows: readonly Row[],
  search: string,
): readonly Row[] {
  const wanted = searchable(search).trim()
  if (!wanted) return rows
  return rows.filter((row) => searchText(table, row).includes(wanted))
}

/** Builds the search texts of all rows ahead of the first keystroke. */
export function prepare<Row extends object>(table: Table<Row>, rows: readonly Row[]): void {
  for (const row of rows) searchText(table, row)
}

/** Returns the rows sorted by one column. The sort is stable, and empty fields are last in both orders. */
export function sorted<Row>(
  table: Table<Row>,
  rows: readonly Row[],
  by: string,
  order: Order,
): readonly Row[] {
  const column = table.columns.find((one) => one.key === by)
  if (!column) return rows
  const sign = order === 'asc' ? 1 : -1
  return rows
    .map((row) => ({ row, value: comparable(column, row) }))
    .sort((a, b) => compare(a.value, b.value, sign))
    .map(({ row }) => row)
}

// Rows are immutable, so their search texts are cached, for as long as the table is there too.
const texts = new WeakMap<object, WeakMap<object, string>>()

function searchText<Row extends object>(table: Table<Row>, row: Row) {
  const known = texts.get(row)?.get(table)
  if (known !== undefined) return known
  const text = searchable(table.columns.map((column) => textOf(column, row)).join('\n'))
  const perTable = texts.get(row) ?? new WeakMap<object, string>()
  texts.set(row, perTable.set(table, text))
  return text
}

function comparable<Row>(column: Column<Row>, row: Row) {
  const value = sortValueOf(column, row)
  return value instanceof Date ? value.getTime() : value
}

type Plain = Exclude<Sortable, Date>

function compare(a: Plain, b: Plain, sign: number) {
  if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b))
  if (typeof a === 'string' && typeof b === 'string') return sign * collator.compare(a, b)
  return sign * (Number(a) - Number(b))
}

function isEmpty(value: Plain): value is null | undefined | '' {
  return value === null || value === undefined || value === ''
}

// Sorts 'client9' before 'client10' and ignores case.
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
