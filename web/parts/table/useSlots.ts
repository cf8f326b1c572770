import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { PlainTable } from './table.ts'

/**
 * Assigns React keys to the rows of a page. Rows that stay keep their key, and new rows take the keys of removed ones.
 * Turning a page then changes the text of existing elements instead of creating new ones.
 */
export function useSlots<Row>(table: PlainTable<Row>, page: readonly Row[]): readonly number[] {
  const taken = useRef<ReadonlyMap<string, number>>(new Map())
  const next = useMemo(() => assign(taken.current, page.map(table.rowKey)), [table, page])
  useLayoutEffect(() => {
    taken.current = next
  }, [next])
  return [...next.values()]
}

/** Assigns a slot to each row; both maps are in the order of their page. */
export function assign(taken: ReadonlyMap<string, number>, keys: readonly string[]): Map<string, number> {
  const staying = new Set(keys.map((key) => taken.get(key)))
  const free = [...taken.values()].filter((slot) => !staying.has(slot))
  let fresh = Math.max(-1, ...taken.values())
  return new Map(
    keys.map((key) => {
      const slot = taken.get(key) ?? free.shift()
      if (slot !== undefined) return [key, slot]
      fresh += 1
      return [key, fresh]
    }),
  )
}

interface RowState<Element> {
  /** Whether the row is unfolded. */
  open: boolean
  turn: () => void
  place: RefObject<Element | null>
}

/** Returns the state that belongs to a row, not to its element: whether it is unfolded and has the focus. */
export function useRow<Element extends HTMLElement>(key: string): RowState<Element> {
  const [openKey, setOpenKey] = useState<string | null>(null)
  const place = useRef<Element>(null)
  const last = useRef(key)
  useLayoutEffect(() => {
    if (last.current === key) return
    last.current = key
    const focused = document.activeElement
    if (focused instanceof HTMLElement && place.current?.contains(focused)) focused.blur()
  }, [key])
  const turn = useCallback(() => setOpenKey((before) => (before === key ? null : key)), [key])
  return { open: openKey === key, turn, place }
}
