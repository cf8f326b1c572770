import { type RefObject, useEffect } from 'react'

/**
 * Adds tab stops for text that is cut off, and for the first date of the rows; arrow keys lead to the other dates. It
 * measures after the paint, so that rendering the rows does not wait for layout.
 */
export function useTabStops(rows: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const timer = setTimeout(() => rows.current && mark(rows.current), 200)
    return () => clearTimeout(timer)
  })
}

/** Moves the focus to the next or previous date on an arrow key. Returns whether it did. */
export function stepMoment({ key, target }: KeyboardEvent): boolean {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key]
  if (!step || !(target instanceof HTMLElement) || !target.matches(MOMENT)) return false
  const all = [...(target.closest('tbody, ul')?.querySelectorAll<HTMLElement>(MOMENT) ?? [])]
  all[all.indexOf(target) + step]?.focus()
  return all.length > 0
}

const MOMENT = '.moment[data-hint]'

function mark(rows: HTMLElement) {
  for (const text of rows.querySelectorAll<HTMLElement>('[data-hint-cut]')) {
    if (text.scrollWidth > text.clientWidth && !text.closest('a,button')) text.tabIndex = 0
    else text.removeAttribute('tabindex')
  }
  const [first, ...others] = rows.querySelectorAll<HTMLElement>(MOMENT)
  if (first) first.tabIndex = 0
  // A row that was first may be elsewhere now.
  for (const other of others) other.tabIndex = -1
}
