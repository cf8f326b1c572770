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
  // Whether it was at the last key or press: in Firefox the click of the space bar does not tell.
  const shift = useRef(false)
  const note = ({ shiftKey }: { shiftKey: boolean }) => {
    shift.current = shiftKey
  }
  // Firefox passes no click with Shift on to the box.
  const pass = (event: React.MouseEvent<HTMLLabelElement>) => {
    if (!event.shiftKey || event.target !== event.currentTarget) return
    event.preventDefault()
    event.currentTarget.control?.focus()
    onChange(true)
  }
  return (
    <label className="hit" onPointerDown={note} onKeyDown={note} onClick={pass}>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={checked}
        onChange={() => {
          onChange(shift.current)
          // The key 'x' clicks on the box from anywhere in its row.
          shift.current = false
        }}
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
