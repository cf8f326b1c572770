import { Search } from '../../contract/shapes.ts'
import type { Column } from '../parts/table/table.ts'

// What tables share that the server searches, sorts and pages.

/** Returns why the server would refuse a search; undefined where it would not. */
export function searchFault(text: string): string | undefined {
  return Search.safeParse(text).error?.issues[0]?.message
}

/** Returns the columns. Those by which the server cannot sort are not sortable. */
export function sortableBy<Row>(sorts: readonly string[], columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.map((column) => (sorts.includes(column.key) ? column : { ...column, sort: false }))
}
