import type { ReactNode } from 'react'

export interface Column<Row> {
  /** Names the column in the URL. It is also the field of the row, unless `text` is given. */
  key: string
  header: string
  /** What the header leaves out: the hint of the button that sorts by it. */
  hint?: string
  /** The displayed field as plain text, which the search looks through. Default: the field `key`. */
  text?: (row: Row) => string
  /** The content of the cell, where it is more than text: a link, a chip, buttons. */
  cell?: (row: Row) => ReactNode
  /** The value to sort by, if it is not the field `key`; `false` if the column cannot be sorted. */
  sort?: ((row: Row) => Sortable) | false
  align?: 'right'
  /** Uses the monospaced font, for identifiers. */
  mono?: boolean
  /** The width of the content in CSS pixels, see `widths`. Columns without one share the remaining space. */
  width?: number
  /** The width to which it may shrink with an ellipsis; by default it does not shrink. */
  least?: number
  /**
   * The key of the column whose cells show this one too. Where the table would have to scroll it is folded: such a
   * column is left out, and one with `foldedWidth` is narrower. Cells then show what is `narrow-only`, and not what is
   * `wide-only`.
   */
  foldedInto?: string
  foldedWidth?: number
  /**
   * True where it is left out of a folded table that would still have to scroll: of several, the last one first. Cells
   * then show what is `spared-only`.
   */
  spared?: boolean
  /** The place of the field on a phone; 'line' by default. A `title` stays visible everywhere. */
  narrow?: Narrow
  /** Whether it is usually shown, for a column that the person may show and hide. */
  usually?: 'shown' | 'hidden'
}

/** The widths of common contents, in CSS pixels. */
export const widths = { datetime: 160, date: 96, mac: 148, number: 72, chip: 96 } as const

/** The parts of a card: `title` and `aside` at the top, `line` below them, `more` unfolds. */
export type Narrow = 'title' | 'aside' | 'line' | 'more'

export type Sortable = string | number | boolean | Date | null | undefined

export type Order = 'asc' | 'desc'

/** The columns of a table, the key of its rows, and the sentence shown when it is empty. */
export interface PlainTable<Row> {
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string
  empty: string
}

/** A table with search, sort and pages. It is declared once and rendered by `<DataTable>`. */
export interface Table<Row> extends PlainTable<Row> {
  /** The name under which the person's way to see it is remembered. */
  name: string
  firstSort: { by: string; order: Order }
  /** The columns to sort by on a phone, where the person hides some; those that are shown by default. */
  sortable?: readonly Column<Row>[]
  pageSizes: readonly number[]
  /** The first page size; 10 by default. */
  perPage?: number
  /** The label of the search box; without it there is none. */
  search?: string
  /** What is said where a search finds nothing; `empty` by default. */
  notFound?: string
  /**
   * Returns why a search is invalid, for tables searched by the server. It is shown at the box, and no search is sent.
   */
  searchFault?: (text: string) => string | undefined
  /** How the rows beyond the last page are found, where the server has pages of only so many. */
  beyond?: string
  /** Whether the person may choose between rows of 40 and of 52 px. */
  denseSwitch?: boolean
}

/** Declares a table; throws if its first sort column or first page size does not exist. */
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

export function textOf<Row>(column: Column<Row>, row: Row): string {
  if (column.text) return column.text(row)
  const value = field(row, column.key)
  return value === null || value === undefined ? '' : String(value)
}

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
