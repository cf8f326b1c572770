import { type RefObject, useEffect, useRef } from 'react'
import { afterDialogs, isFocusLost } from '../focus.ts'

/**
 * Keeps the focus when its row is removed: the next row takes it. When the toolbar of the selection disappears, the
 * checkbox of the page takes it. `keys` are the keys of the visible rows.
 */
export function useFocusKept(
  place: RefObject<HTMLElement | null>,
  keys: readonly string[],
  nothingChosen: boolean,
): void {
  const row = useFocusedRow(place, keys)
  const hadNothingChosen = useRef(true)
  const stop = useRef(() => {})
  useEffect(() => () => stop.current(), [])
  useEffect(() => {
    const barGone = nothingChosen && !hadNothingChosen.current
    const rowGone = row.current !== null && !keys.includes(row.current.key)
    hadNothingChosen.current = nothingChosen
    if (!(barGone || rowGone)) return
    const at = row.current?.at ?? 0
    row.current = null
    stop.current()
    stop.current = afterDialogs(() => {
      if (isFocusLost()) targetIn(place.current, barGone ? null : at)?.focus({ preventScroll: true })
    })
  })
}

/** Returns what takes the focus: in the row at `at`; where that is null, the checkbox of the page, or the search. */
function targetIn(place: HTMLElement | null, at: number | null): HTMLElement | null | undefined {
  const row = at === null ? undefined : rowAt(place, at)
  return (
    row?.querySelector('a') ??
    row?.querySelector<HTMLElement>('button, input') ??
    (at === null ? place?.querySelector<HTMLElement>('.hit input') : null) ??
    place?.querySelector<HTMLElement>('[type=search]')
  )
}

/** Tracks the row that last had the focus, and its index; null when the focus was elsewhere in the table. */
function useFocusedRow(place: RefObject<HTMLElement | null>, keys: readonly string[]) {
  const row = useRef<{ at: number; key: string } | null>(null)
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      const at = rowsIn(place.current).findIndex((one) => one.contains(target as Node))
      const key = latest.current[at]
      row.current = key === undefined ? null : { at, key }
    }
    const element = place.current
    element?.addEventListener('focusin', note)
    return () => element?.removeEventListener('focusin', note)
  }, [place])
  return row
}

function rowsIn(place: HTMLElement | null): HTMLElement[] {
  return [...(place?.querySelectorAll<HTMLElement>('tbody > tr, ul > li') ?? [])]
}

function rowAt(place: HTMLElement | null, at: number): HTMLElement | undefined {
  const rows = rowsIn(place)
  return rows[Math.min(at, rows.length - 1)]
}
