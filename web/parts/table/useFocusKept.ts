import { type RefObject, useEffect, useRef } from 'react'

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
  useEffect(() => {
    const barGone = nothingChosen && !hadNothingChosen.current
    const rowGone = row.current !== null && !keys.includes(row.current.key)
    hadNothingChosen.current = nothingChosen
    if (!(barGone || rowGone) || somethingHasFocus()) return
    const next = barGone ? undefined : rowAt(place.current, row.current?.at ?? 0)
    row.current = null
    const target =
      next?.querySelector('a') ??
      next?.querySelector<HTMLElement>('button, input') ??
      (barGone ? place.current?.querySelector<HTMLElement>('.hit input') : null) ??
      place.current?.querySelector<HTMLElement>('[type=search]')
    target?.focus({ preventScroll: true })
  })
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

/** Focus in a dialog does not count: a closing dialog is about to return it to the removed row. */
function somethingHasFocus(): boolean {
  const { activeElement } = document
  return activeElement !== null && activeElement !== document.body && !activeElement.closest('[role*=dialog]')
}
