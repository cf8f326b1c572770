import { isForBrowser } from '../focus.ts'

/**
 * The rows of a table, whether it is shown as a table or as cards, are one tab stop: the Tab key goes through the
 * controls of one row, the current one, and then on. Arrow keys lead to the other rows.
 */

/** Makes a row the current one, or keeps the one that was; the first, where there is none. */
export function setTabStops(rows: HTMLElement, focused: Element | null = null): void {
  const all = rowsOf(rows)
  const current =
    all.find((row) => row.contains(focused)) ?? all.find((row) => row.hasAttribute(CURRENT)) ?? all[0]
  for (const row of all) {
    row.toggleAttribute(CURRENT, row === current)
    const [firstMoment] = row.querySelectorAll(MOMENT)
    for (const stop of stopsOf(row)) {
      const isStop = row === current && (!stop.matches(MOMENT) || stop === firstMoment)
      stop.tabIndex = isStop ? 0 : -1
    }
    // Text that is not cut off any more shows nothing on focus.
    for (const text of row.querySelectorAll<HTMLElement>(`${CUT}[tabindex]:not(a, button)`)) {
      if (!isCut(text)) text.removeAttribute('tabindex')
    }
  }
}

/** Moves the focus by an arrow key: to the row above or below, or within the row. Returns whether it did. */
export function followArrow(rows: HTMLElement, event: KeyboardEvent): boolean {
  if (isForBrowser(event)) return false
  const { key, target } = event
  const row = rowsOf(rows).find((one) => one.contains(target as Node))
  if (!row || !(target instanceof HTMLElement)) return false
  const across = { ArrowRight: 1, ArrowLeft: -1 }[key]
  const down = { ArrowDown: 1, ArrowUp: -1 }[key]
  const stops = stopsOf(row)
  const at = stops.indexOf(target)
  if (at < 0) return false
  if (across) stops[at + across]?.focus()
  else if (down) stepTo(rows, row, down, (next) => sameIn(next, row, target))
  return across !== undefined || down !== undefined
}

/** Moves the focus to the next row or the one before, or to the first: 'j' and 'k'. */
export function stepRow(by: 1 | -1): void {
  const rows = rowsInUse()
  if (!rows) return
  const row = focusedRow()
  if (row) stepTo(rows, row, by, firstStop)
  else firstStop(rowsOf(rows)[0])?.focus()
}

export function focusedRow(): HTMLElement | null {
  const rows = document.activeElement?.closest<HTMLElement>(ROWS)
  return rowsOf(rows ?? null).find((row) => row.contains(document.activeElement)) ?? null
}

/** The element whose children are rows. */
const ROWS = '[data-rows]'
const CURRENT = 'data-current'
const MOMENT = '.moment[data-hint]'
const MARK = '[role="img"][data-hint]'
const CUT = '[data-hint-cut]'
const STOPS = `a, button, input, ${MOMENT}, ${MARK}, ${CUT}`

/** The rows that keys act on: those with the focus, or the first on the page. */
function rowsInUse(): HTMLElement | null {
  return (
    document.activeElement?.closest<HTMLElement>(ROWS) ?? document.querySelector<HTMLElement>(`main ${ROWS}`)
  )
}

function rowsOf(rows: HTMLElement | null): HTMLElement[] {
  return [...(rows?.children ?? [])] as HTMLElement[]
}

/**
 * What can have the focus in a row. Text can only where it is cut off, since the whole is shown then, and a mark where
 * it is shown: some stand for a column that has no room.
 */
function stopsOf(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(STOPS)].filter((stop) => {
    if (stop.matches(MARK)) return stop.getClientRects().length > 0
    return stop.matches(`a, button, input, ${MOMENT}`) || isCut(stop)
  })
}

function isCut(text: HTMLElement): boolean {
  return text.scrollWidth > text.clientWidth && !text.closest('a, button')
}

/** The link of a row, or the first of its stops. */
function firstStop(row: HTMLElement | undefined): HTMLElement | undefined {
  const stops = row ? stopsOf(row) : []
  return stops.find((stop) => stop.matches('a')) ?? stops[0]
}

function stepTo(
  rows: HTMLElement,
  from: HTMLElement,
  by: number,
  choose: (row: HTMLElement) => HTMLElement | undefined,
): void {
  const all = rowsOf(rows)
  const next = all[all.indexOf(from) + by]
  if (next) choose(next)?.focus()
}

/** Returns the control of the row `other` that corresponds to `stop`: in the same column, else at the same place. */
function sameIn(other: HTMLElement, row: HTMLElement, stop: HTMLElement): HTMLElement | undefined {
  const cell = stop.closest('td')
  if (!cell) return stopsOf(other)[stopsOf(row).indexOf(stop)] ?? firstStop(other)
  const column = [...row.children].indexOf(cell)
  const there = other.children[column]
  const within = stopsOf(row).filter((one) => cell.contains(one))
  const candidates = stopsOf(other).filter((one) => there?.contains(one))
  return candidates[within.indexOf(stop)] ?? candidates[0] ?? firstStop(other)
}
