import { useCallback, useLayoutEffect, useRef } from 'react'
import type { RowSelection } from './selection.ts'
import type { PlainTable } from './table.ts'

/** The checkbox that selects the whole page. */
export function PageBox<Row>({
  table,
  page,
  select,
}: {
  table: PlainTable<Row>
  page: readonly Row[]
  select: RowSelection<Row>
}) {
  const keys = page.map(table.rowKey)
  const taken = keys.filter((key) => select.chosen.has(key)).length
  const every = taken > 0 && taken === keys.length
  return (
    <label className="hit">
      <input
        type="checkbox"
        aria-label="Select this page"
        disabled={keys.length === 0}
        checked={every}
        ref={(box) => {
          if (box) box.indeterminate = taken > 0 && !every
        }}
        onChange={() => select.onChange(toggled(select.chosen, keys, !every))}
      />
    </label>
  )
}

export function RowBox({
  name,
  checked,
  onChange,
}: {
  name: string
  checked: boolean
  onChange: () => void
}) {
  return (
    <label className="hit">
      <input type="checkbox" aria-label={`Select ${name}`} checked={checked} onChange={onChange} />
    </label>
  )
}

/** Returns what one row needs of the selection, so that only rows that change are rendered again. */
export function chosenIn<Row>(table: PlainTable<Row>, row: Row, select: RowSelection<Row> | undefined) {
  return select ? { chosen: select.chosen.has(table.rowKey(row)), name: select.name(row) } : {}
}

/** Returns a stable function that selects or deselects one row by its key. */
export function useChoose<Row>(select: RowSelection<Row> | undefined) {
  const latest = useRef(select)
  useLayoutEffect(() => {
    latest.current = select
  })
  return useCallback((key: string) => {
    const now = latest.current
    now?.onChange(toggled(now.chosen, [key], !now.chosen.has(key)))
  }, [])
}

function toggled(chosen: ReadonlySet<string>, keys: readonly string[], on: boolean) {
  const next = new Set(chosen)
  for (const key of keys) on ? next.add(key) : next.delete(key)
  return next
}
