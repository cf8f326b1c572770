import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { focusTitle, isFocusLost, whenUndisturbed } from '../focus.ts'

/**
 * Keeps the focus when its row is removed: the next row takes it. When the toolbar of the selection disappears, the
 * checkbox of the page takes it, and when that disappears too, the search; where there is none, the title of the page.
 * `keys` are the keys of the visible rows.
 */
export function useFocusKept(
  place: RefObject<HTMLElement | null>,
  keys: readonly string[],
  nothingChosen: boolean,
): void {
  const { row, element } = useFocused(place, keys)
  const hadNothingChosen = useRef(true)
  const stop = useRef(() => {})
  useEffect(() => () => stop.current(), [])
  useEffect(() => {
    const barGone = nothingChosen && !hadNothingChosen.current
    const rowGone = row.current !== null && !keys.includes(row.current.key)
    const otherGone = row.current === null && element.current?.isConnected === false
    hadNothingChosen.current = nothingChosen
    if (!(barGone || rowGone || otherGone)) return
    const at = barGone || !row.current ? null : row.current.at
    const opener = rowGone ? element.current : null
    row.current = element.current = null
    stop.current()
    stop.current = whenUndisturbed(() => {
      // A dialog gives the focus back to what has opened it, which has become another row's.
      if (!isFocusLost() && document.activeElement !== opener) return
      targetIn(place.current, at)?.focus({ preventScroll: true })
      focusTitle()
    })
  })
}

/** Returns what takes the focus: in the row at `at`; where that is null, the checkbox of the page, or the search. */
function targetIn(place: HTMLElement | null, at: number | null): HTMLElement | null | undefined {
  const row = at === null ? undefined : rowAt(place, at)
  return (
    row?.querySelector('a') ??
    row?.querySelector<HTMLElement>('button, input') ??
    (at === null ? place?.querySelector<HTMLElement>('.hit input:enabled') : null) ??
    place?.querySelector<HTMLElement>('[type=search]')
  )
}

/** Tracks what in the table last had the focus, and its row with the row's index; null for what is in no row. */
function useFocused(place: RefObject<HTMLElement | null>, keys: readonly string[]) {
  const row = useRef<{ at: number; key: string } | null>(null)
  const element = useRef<Element | null>(null)
  const latest = useRef(keys)
  const settled = useRef(keys)
  latest.current = keys
  useLayoutEffect(() => {
    settled.current = keys
  })
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      // While the rows change, React gives the focus back to an element that has become that of another row. Compared by
      // the keys: a render that React has given up leaves other arrays of the same.
      if (settled.current.join() !== latest.current.join()) return
      element.current = target as Element
      const at = rowsIn(place.current).findIndex((one) => one.contains(target as Node))
      const key = latest.current[at]
      row.current = key === undefined ? null : { at, key }
    }
    const table = place.current
    table?.addEventListener('focusin', note)
    return () => table?.removeEventListener('focusin', note)
  }, [place])
  return { row, element }
}

function rowsIn(place: HTMLElement | null): HTMLElement[] {
  return [...(place?.querySelectorAll<HTMLElement>('tbody > tr, ul > li') ?? [])]
}

function rowAt(place: HTMLElement | null, at: number): HTMLElement | undefined {
  const rows = rowsIn(place)
  return rows[Math.min(at, rows.length - 1)]
}
