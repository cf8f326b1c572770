import { useCallback, useLayoutEffect, useRef } from 'react'
import type { RowSelection } from './selection.ts'
import type { PlainTable } from './table.ts'

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
  /** `range` is true where the Shift key was held. */
  onChange: (range: boolean) => void
}) {
  return (
    <label className="hit">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={checked}
        onChange={({ nativeEvent }) => onChange((nativeEvent as MouseEvent).shiftKey)}
      />
    </label>
  )
}

/**
 * Returns a stable function that selects or deselects one row by its key; with `range` also all rows of the page from
 * the one before to it.
 */
export function useChoose<Row>(
  table: PlainTable<Row>,
  page: readonly Row[],
  select: RowSelection<Row> | undefined,
) {
  const latest = useRef({ table, page, select })
  const last = useRef('')
  useLayoutEffect(() => {
    latest.current = { table, page, select }
  })
  return useCallback((key: string, range: boolean) => {
    const { table, page, select } = latest.current
    const keys = page.map(table.rowKey)
    const from = range ? keys.indexOf(last.current) : -1
    const to = keys.indexOf(key)
    last.current = key
    const some = from < 0 ? [key] : keys.slice(Math.min(from, to), Math.max(from, to) + 1)
    select?.onChange(toggled(select.chosen, some, !select.chosen.has(key)))
  }, [])
}

function toggled(chosen: ReadonlySet<string>, keys: readonly string[], on: boolean) {
  const next = new Set(chosen)
  for (const key of keys) on ? next.add(key) : next.delete(key)
  return next
}
