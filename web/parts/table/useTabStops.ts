import { type RefObject, useEffect } from 'react'
import { followArrow, setTabStops } from './tabStops.ts'

/** Makes rows one tab stop, see `tabStops.ts`. It measures after the paint, so that the rows do not wait for layout. */
export function useTabStops(rows: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const timer = setTimeout(() => rows.current && setTabStops(rows.current), 200)
    return () => clearTimeout(timer)
  })
  useEffect(() => {
    const { current } = rows
    if (!current) return
    const follow = ({ target }: FocusEvent) => setTabStops(current, target as Element)
    const press = (event: KeyboardEvent) => {
      if (followArrow(current, event)) event.preventDefault()
    }
    current.addEventListener('focusin', follow)
    current.addEventListener('keydown', press)
    return () => {
      current.removeEventListener('focusin', follow)
      current.removeEventListener('keydown', press)
    }
  })
}
