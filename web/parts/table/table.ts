import type { ReactNode } from 'react'

/** One column of a table of `Row`. */
export interface Column<Row> {
  /** Names the column in the URL and, unless `text` says otherwise, the field of the row it shows. */
  key: string
  header: string
  /** The field as displayed in plain text: what the search looks through. Unsaid: the field `key` of the row. */
  text?: (row: Row) => string
  /** What the cell holds where plain text is not enough: a link, a chip, buttons. */
  cell?: (row: Row) => ReactNode
  /** The value sorted by, if it is not the field `key`; `false` for a column that does not sort. */
  sort?: ((row: Row) => Sortable) | false
  /** Numbers stand right. */
  align?: 'right'
  /** An identifier, in the monospaced face. */
  mono?: boolean
  /** The width of its content in CSS pixels, see `widths`; columns without one share what is left. */
  width?: number
  /** The width down to which it may be cut with an ellipsis where there is little room; unsaid, its width. */
  least?: number
  /** Where the field stands on a phone; unsaid, in the lines beneath the title. A `title` stays in view everywhere. */
  narrow?: Narrow
}

/** What the usual contents need, in CSS pixels. */
export const widths = { datetime: 168, date: 92, mac: 148, number: 72, chip: 96 } as const

/** `title` and `aside` head the card, `line` stands beneath, `more` unfolds. */
export type Narrow = 'title' | 'aside' | 'line' | 'more'

export type Sortable = string | number | boolean | Date | null | undefined

export type Order = 'asc' | 'desc'

/** A table as a value: what its rows show and are known by, and the sentence where there are none. */
export interface PlainTable<Row> {
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  empty: string
}

/** One that is searched, sorted and paged: declared once, rendered by `<DataTable>`. */
export interface Table<Row> extends PlainTable<Row> {
  firstSort: { by: string; order: Order }
  /** The page sizes on offer. */
  pageSizes: readonly number[]
  /** The page size at first; unsaid, 10. */
  perPage?: number
  /** The label of the search box; without it there is none. */
  search?: string
  /** Why a search cannot be made, where rows are searched elsewhere: it is said at the box, and nothing is asked. */
  searchFault?: (text: string) => string | undefined
  /** Whether the user may choose between rows of 40 and of 52. */
  denseSwitch?: boolean
}

/** Declares a table of `Row`, checking that its first sort and first page size exist. */
export function table<Row>(value: Table<Row>): Table<Row> {
  if (!value.columns.some((column) => column.key === value.firstSort.by && column.sort !== false)) {
    throw new Error(`No sortable column '${value.firstSort.by}' in the table '${value.empty}'`)
  }
  if (!value.pageSizes.includes(firstPerPage(value))) {
    throw new Error(`${firstPerPage(value)} is no page size of the table '${value.empty}'`)
  }
  return value
}

export function firstPerPage(value: { perPage?: number }): number {
  return value.perPage ?? 10
}

/** The field as displayed, in plain text. */
export function textOf<Row>(column: Column<Row>, row: Row): string {
  if (column.text) return column.text(row)
  const value = field(row, column.key)
  return value === null || value === undefined ? '' : String(value)
}

/** The value a column sorts by. */
export function sortValueOf<Row>(column: Column<Row>, row: Row): Sortable {
  if (typeof column.sort === 'function') return column.sort(row)
  const value = field(row, column.key)
  return isSortable(value) ? value : textOf(column, row)
}

function field(row: unknown, key: string): unknown {
  return typeof row === 'object' && row !== null ? Reflect.get(row, key) : undefined
}

function isSortable(value: unknown): value is Sortable {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date
}
