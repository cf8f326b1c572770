import { type Column, type Order, type Sortable, sortValueOf, type Table, textOf } from './table.ts'

/** The rows that hold `search` in any field as displayed, in any case, in their given order. */
export function found<Row extends object>(
  table: Table<Row>,
  rows: readonly Row[],
  search: string,
): readonly Row[] {
  const wanted = search.trim().toLowerCase()
  if (!wanted) return rows
  return rows.filter((row) => searchText(table, row).includes(wanted))
}

/** Puts together what a search will look through, so that the first keystroke need not. */
export function prepare<Row extends object>(table: Table<Row>, rows: readonly Row[]): void {
  for (const row of rows) searchText(table, row)
}

/** The rows by one column; equal rows keep their order, empty fields come last in both orders. */
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

// A row never changes, so what it shows is put together once and not at every keystroke.
const texts = new WeakMap<object, Map<object, string>>()

function searchText<Row extends object>(table: Table<Row>, row: Row) {
  const known = texts.get(row)?.get(table)
  if (known !== undefined) return known
  const text = table.columns
    .map((column) => textOf(column, row))
    .join('\n')
    .toLowerCase()
  const perTable = texts.get(row) ?? new Map<object, string>()
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

// 'client9' before 'client10', and no difference between cases: the order a person expects.
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
