/** The selected rows, by row key. They may be on other pages, or not match what is searched. */
export interface RowSelection<Row> {
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
  /** Names a row for its checkbox: 'Select {name}'. */
  name: (row: Row) => string
}
