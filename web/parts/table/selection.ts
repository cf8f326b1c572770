import type { ReactNode } from 'react'

/** Which rows are chosen, by row key, and what can be done with them. */
export interface RowSelection<Row> {
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
  /** Names a row for its checkbox: 'Select {name}'. */
  name: (row: Row) => string
  /** The buttons of the toolbar that takes the place of the tools while rows are chosen. */
  actions: ReactNode
  /** Offers more rows than those of the page: 'Select all 120'. */
  all?: { label: string; onTake: () => void; loading: boolean } | undefined
}
