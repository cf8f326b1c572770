import { type RefObject, useLayoutEffect, useState } from 'react'
import type { Table } from './table.ts'

/** How much of a table there is room for: all of it, all but what may unfold, or cards. */
export type Fit = 'whole' | 'folded' | 'cards'

/** Measures the place of a table before it is painted and whenever it changes. */
export function useFit<Row>(table: Table<Row>, boxed: boolean, place: RefObject<HTMLElement | null>): Fit {
  const [fit, setFit] = useState<Fit>(() => fitOf(table, boxed, window.innerWidth))
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const measure = () => setFit(fitOf(table, boxed, element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [table, boxed, place])
  return fit
}

function fitOf<Row>(table: Table<Row>, boxed: boolean, width: number): Fit {
  if (window.innerWidth < (table.narrowBelow ?? 667)) return 'cards'
  // The column of boxes stands partly where the first column would keep its distance from the edge.
  const box = boxed ? 40 : 0
  if (needed(table.columns) + box <= width) return 'whole'
  const kept = table.columns
    .filter((column) => column.narrow !== 'more')
    .map(({ least, width }) => ({ width: least ?? width }))
  return needed(kept) + box + 56 <= width ? 'folded' : 'cards'
}

/** The width below which columns would be cut beyond use: a column without a width of its own wants 96. */
function needed(columns: readonly { width?: number | undefined }[]) {
  return columns.reduce((sum, { width = 96 }) => sum + width + 16, 32)
}
