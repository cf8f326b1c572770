import type { ReactNode } from 'react'

/** The selected rows, by row key, and the actions on them. */
export interface RowSelection<Row> {
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
  /** Names a row for its checkbox: 'Select {name}'. */
  name: (row: Row) => string
  /** The buttons that replace the toolbar while rows are selected. */
  actions: ReactNode
  /** Offers to select more rows than the page has: 'Select all 120'. */
  all?: { label: string; onTake: () => void; loading: boolean } | undefined
}
