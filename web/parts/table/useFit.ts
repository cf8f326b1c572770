import { type RefObject, useLayoutEffect, useState } from 'react'
import type { Column, PlainTable } from './table.ts'

/** How a table stands in the room that it has. */
export interface Fit {
  /** The window is a phone's: rows are cards. */
  cards: boolean
  /** From 1, where every column has its width, to 0, where each has its least. */
  room: number
  /** The least is too much: the table scrolls. */
  scrolls: boolean
}

/** Measures the place of a table before it is painted and whenever it changes. */
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
  const least = neededBy(columns, boxed, leastOf)
  const wanted = neededBy(columns, boxed, widthOf)
  const room = wanted === least ? Number(width >= least) : (width - least) / (wanted - least)
  return {
    cards: window.innerWidth < 667,
    room: Math.min(1, Math.max(0, room)),
    scrolls: width < least,
  }
}

function isSame(one: Fit, other: Fit): boolean {
  return one.cards === other.cards && one.room === other.room && one.scrolls === other.scrolls
}

/** What the columns need beside each other, in CSS pixels, where each is as wide as `widthOf` says. */
export function neededBy<Row>(
  columns: readonly Column<Row>[],
  boxed: boolean,
  widthOf: (column: Column<Row>) => number,
): number {
  // The column of boxes stands partly where the first column would keep its distance from the edge.
  const edges = 32 + (boxed ? BOX - 16 : 0)
  return columns.reduce((sum, column) => sum + widthOf(column) + spaceAround(column), edges)
}

/** The column of boxes with the space around it. */
export const BOX = 56

/** What a column keeps free at its sides: numbers stand clear of the words that follow. */
export function spaceAround<Row>({ align }: Column<Row>): number {
  return align === 'right' ? 32 : 16
}

export function leastOf<Row>(column: Column<Row>): number {
  return column.least ?? widthOf(column)
}

/** A column without a width of its own takes what is left, and wants at least 96. */
function widthOf<Row>({ width, least = 0 }: Column<Row>): number {
  return width ?? Math.max(96, least)
}
