import { type RefObject, useLayoutEffect, useState } from 'react'
import type { Column, PlainTable } from './table.ts'

export interface Fit {
  /** True on a phone, where rows are shown as cards. */
  cards: boolean
  /** From 1, where every column has its normal width, to 0, where each has its least. */
  room: number
  /** True when the least widths fit only, or not even, once columns are folded. */
  folded: boolean
  /** How many of the columns that can be spared are left out, so that the folded ones fit. */
  spared: number
  /** True when not even the folded columns fit. */
  scrolls: boolean
}

/** Measures the available width before the first paint and after each change. */
export function useFit<Row>(
  table: PlainTable<Row>,
  boxed: boolean,
  place: RefObject<HTMLElement | null>,
): Fit {
  const [fit, setFit] = useState<Fit>(() => fitOf(table, boxed, window.innerWidth))
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const measure = () => {
      const next = fitOf(table, boxed, element.clientWidth)
      setFit((last) => (isSame(last, next) ? last : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [table, boxed, place])
  return fit
}

function fitOf<Row>({ columns }: PlainTable<Row>, boxed: boolean, width: number): Fit {
  const folded = columns.some(isFolded) && width < neededBy(columns, boxed, leastOf)
  const spared = folded ? sparedFor(columns, (shown) => neededBy(shown, boxed, leastOf) <= width) : 0
  const shown = folded ? foldedOf(columns, spared) : columns
  const least = neededBy(shown, boxed, leastOf)
  const wanted = neededBy(shown, boxed, wantedBy)
  const room = wanted === least ? Number(width >= least) : (width - least) / (wanted - least)
  return {
    cards: window.innerWidth < 667,
    room: Math.min(1, Math.max(0, room)),
    folded,
    spared,
    scrolls: width < least,
  }
}

/** Returns how many columns to leave out of a folded table; none where it has to scroll all the same. */
function sparedFor<Row>(
  columns: readonly Column<Row>[],
  fits: (shown: readonly Column<Row>[]) => boolean,
): number {
  const most = columns.filter(({ spared }) => spared).length
  for (let spared = 0; spared <= most; spared++) if (fits(foldedOf(columns, spared))) return spared
  return 0
}

export function foldedOf<Row>(columns: readonly Column<Row>[], spared: number): Column<Row>[] {
  const sparable = columns.filter((column) => column.spared)
  const leftOut = sparable.slice(sparable.length - spared)
  return columns
    .filter((column) => !leftOut.includes(column) && !columns.some(({ key }) => key === column.foldedInto))
    .map((column) => {
      const { foldedWidth: width } = column
      return width === undefined ? column : { ...column, width, least: width }
    })
}

function isFolded<Row>({ foldedInto, foldedWidth }: Column<Row>): boolean {
  return (foldedInto ?? foldedWidth) !== undefined
}

function isSame(one: Fit, other: Fit): boolean {
  return (
    one.cards === other.cards &&
    one.room === other.room &&
    one.folded === other.folded &&
    one.spared === other.spared &&
    one.scrolls === other.scrolls
  )
}

/** Returns the total width of the columns in CSS pixels; `widthOf` gives the width of each. */
export function neededBy<Row>(
  columns: readonly Column<Row>[],
  boxed: boolean,
  widthOf: (column: Column<Row>) => number,
): number {
  // The column of checkboxes replaces a part of the first column's padding.
  const edges = 32 + (boxed ? BOX - 16 : 0)
  return columns.reduce((sum, column, at) => sum + widthOf(column) + spaceAround(columns, at), edges)
}

/** The width of the column of checkboxes, with its padding. */
export const BOX = 56

/** Returns the padding of the column at a place. Text that follows numbers has more, to separate the two. */
export function spaceAround<Row>(columns: readonly Column<Row>[], at: number): number {
  return columns[at - 1]?.align === 'right' && columns[at]?.align !== 'right' ? 32 : 16
}

/** Returns the least width of a column in CSS pixels. */
export function leastOf<Row>(column: Column<Row>): number {
  return column.least === undefined ? wantedBy(column) : column.least * scale()
}

/** Returns the normal width. A column without one takes the remaining space, and wants at least 96 px. */
export function wantedBy<Row>({ width, least = 0 }: Column<Row>): number {
  return (width ?? Math.max(96, least)) * scale()
}

let scaled: number | undefined

/** Returns how many times larger than usual the font is that the person has set in the browser. */
function scale(): number {
  scaled ??= Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
  return scaled
}
