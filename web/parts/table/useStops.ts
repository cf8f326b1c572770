import { type RefObject, useEffect } from 'react'

/**
 * Lets the keyboard reach what says more on focus: text that is cut off, and the first moment of the rows, from which
 * arrows lead to the others. It is measured once the rows have been painted: before, it would make them wait for their
 * own layout.
 */
export function useStops(rows: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const timer = setTimeout(() => rows.current && mark(rows.current), 200)
    return () => clearTimeout(timer)
  })
}

/** Takes the focus from one moment to the next or the one before, for an arrow. */
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
  // A row that was the first may have another place by now.
  for (const other of others) other.tabIndex = -1
}
