import { use, useEffect, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useHasLeft } from '../useHasLeft.ts'
import { useNewestParams } from '../useNewestParams.ts'
import { type Remembered, TableMemory } from './memory.ts'
import { type Column, firstPerPage, type Order, type Table } from './table.ts'
import { useTyped } from './useTyped.ts'

/** The state of a list, read from the URL, with its setters. */
export interface ListState {
  /** The current page, from 1. */
  page: number
  perPage: number
  sort: string
  order: Order
  /** The search in the URL. It follows `typed` after 250 ms, and is the one sent to a server. */
  search: string
  /** The search as typed. It is shown in the box, and filters rows that are in the browser. */
  typed: string
  dense: boolean
  /** `replace` adds no history entry, for a page that does not exist. */
  setPage: (page: number, replace?: boolean) => void
  setPerPage: (perPage: number) => void
  /** Sorts by a column; sorting by it again reverses the order. */
  sortBy: (key: string) => void
  setSearch: (text: string) => void
  setDense: (dense: boolean) => void
}

/** The state of a list that shows what one of a few filters lets through. */
export interface FilteredList<Filter extends string> extends ListState {
  filter: Filter
  setFilter: (filter: Filter) => void
}

type Shape = Pick<Table<never>, 'name' | 'firstSort' | 'pageSizes' | 'perPage' | 'searchFault'> & {
  columns: readonly Pick<Column<never>, 'key' | 'sort'>[]
}

/**
 * Keeps the state of a list in the URL, so that it can be shared and Back works. `key` separates the lists of one page
 * ('' for the only one). `filters` are the possible filters, the first by default. Without a valid parameter the list
 * is as the person last arranged it, or else as the table declares.
 */
export function useListState<Filter extends string>(
  key: string,
  shape: Shape,
  filters: readonly Filter[] = [],
): FilteredList<Filter> {
  const [params, changeParams] = useParams()
  const memory = use(TableMemory)
  const kept = memory.of(shape.name)
  const state = useMemo(() => read(params, key, shape, filters, kept), [params, key, shape, filters, kept])
  const [typed, setTyped] = useTyped(state.search, (text) => {
    // A search that came back to what it was leaves the page that was turned to meanwhile.
    if (text !== state.search && !shape.searchFault?.(text)) write({ search: text, page: '' }, true)
  })
  const first = read(empty, key, shape, filters, kept)

  const write = (change: Record<string, string>, replace: boolean) =>
    changeParams((now) => changed(now, key, change, first), replace)
  const remember = (change: Remembered) => memory.keep(shape.name, change)

  return {
    ...state,
    typed,
    page: typed === state.search || shape.searchFault?.(typed) ? state.page : 1,
    setPage: (page, replace = false) => {
      // A search that was typed right before counts at once: it would lead back to the first page when it does later.
      const search = shape.searchFault?.(typed) ? state.search : typed
      write({ search, page: String(page) }, replace)
    },
    setPerPage: (perPage) => {
      write({ perPage: String(perPage), page: '' }, true)
      remember({ rows: perPage })
    },
    sortBy: (by) => {
      const next = nextSort(state, by)
      write({ ...next, page: '' }, true)
      remember(next)
    },
    setSearch: setTyped,
    setFilter: (filter) => write({ filter, page: '' }, false),
    setDense: (dense) => {
      write({ dense: String(dense) }, true)
      remember({ dense })
    },
  }
}

/**
 * Reads and changes the URL's parameters. The new state is rendered first and written into the URL after the paint:
 * the router then renders every component that reads the URL, and the rows should not wait for that.
 */
function useParams() {
  const [params, setParams] = useSearchParams()
  const [ahead, setAhead] = useState<URLSearchParams | null>(null)
  const shown = ahead ?? params
  const hasLeft = useHasLeft()
  // React Router's setter closes over the parameters of its render, so the newest setter is used.
  const latest = useRef({ shown, setParams, hasLeft })
  latest.current = { shown, setParams, hasLeft }
  const arrived = ahead?.toString() === params.toString()
  useEffect(() => {
    if (!ahead) return
    // If the change never reaches the URL, as after Back at the same moment, the URL wins.
    const timer = setTimeout(() => setAhead(null), arrived ? 0 : 2_000)
    return () => clearTimeout(timer)
  }, [ahead, arrived])
  const write = useAfterPaint((next: URLSearchParams, replace: boolean) => {
    if (!latest.current.hasLeft()) latest.current.setParams(next, { replace, preventScrollReset: true })
  })
  const newest = useNewestParams()
  const change = (by: (now: URLSearchParams) => URLSearchParams, replace: boolean) => {
    // Others on the page change the address too, of which this render may not know yet.
    const now = ahead ? latest.current.shown : newest()
    const next = by(now)
    if (next.toString() === now.toString()) return
    latest.current.shown = next
    setAhead(next)
    write(next, replace)
  }
  return [shown, change] as const
}

/** Returns a function that runs `act` after the next paint. A pending run is executed before the next. */
function useAfterPaint<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const waiting = useRef<{ frame: number; act: () => void } | null>(null)
  const flush = () => {
    const { act } = waiting.current ?? {}
    cancel(waiting)
    act?.()
  }
  useEffect(() => () => cancel(waiting), [])
  return (...args) => {
    flush()
    const frame = requestAnimationFrame(() => setTimeout(flush))
    waiting.current = { frame, act: () => act(...args) }
  }
}

function cancel(waiting: { current: { frame: number } | null }) {
  if (waiting.current) cancelAnimationFrame(waiting.current.frame)
  waiting.current = null
}

const empty = new URLSearchParams()

type State = ReturnType<typeof read>

/** The server refuses any page beyond. */
const LAST_PAGE = 1_000_000

function read<Filter extends string>(
  params: URLSearchParams,
  key: string,
  shape: Shape,
  filters: readonly Filter[],
  kept: Remembered,
) {
  const get = (name: string) => params.get(parameter(key, name)) ?? ''
  const perPage = Number(get('perPage'))
  const usual = isSortable(shape, kept.sort)
    ? { by: kept.sort ?? '', order: kept.order ?? 'asc' }
    : shape.firstSort
  const sortable = isSortable(shape, get('sort'))
  const order = get('order')
  return {
    page: Math.min(LAST_PAGE, Math.max(1, Math.trunc(Number(get('page'))) || 1)),
    perPage: [perPage, kept.rows ?? 0].find((size) => shape.pageSizes.includes(size)) ?? firstPerPage(shape),
    sort: sortable ? get('sort') : usual.by,
    order: order === 'asc' || order === 'desc' ? order : sortable ? ('asc' as const) : usual.order,
    search: shape.searchFault?.(get('search')) ? '' : get('search'),
    filter: (filters.find((one) => one === get('filter')) ?? filters[0] ?? '') as Filter,
    dense: get('dense') === '' ? kept.dense !== false : get('dense') !== 'false',
  }
}

/** A column that is remembered may not exist any more. */
function isSortable({ columns }: Shape, key: string | undefined): boolean {
  return columns.some((column) => column.key === key && column.sort !== false)
}

function nextSort(state: State, by: string): { sort: string; order: Order } {
  const turned = state.order === 'asc' ? 'desc' : 'asc'
  return { sort: by, order: state.sort === by ? turned : 'asc' }
}

/** Returns the changed parameters. Defaults are left out, which keeps addresses short. */
function changed(now: URLSearchParams, key: string, change: Record<string, string>, first: State) {
  const next = new URLSearchParams(now)
  for (const [name, value] of Object.entries(change)) next.set(parameter(key, name), value)
  // An order without its column would apply to the default column, so both are removed together.
  const plainSort =
    next.get(parameter(key, 'sort')) === first.sort && next.get(parameter(key, 'order')) === first.order
  for (const name of ['sort', 'order']) if (plainSort) next.delete(parameter(key, name))
  for (const name of ['page', 'perPage', 'search', 'filter', 'dense'] as const) {
    const value = next.get(parameter(key, name))
    if (value === '' || value === String(first[name])) next.delete(parameter(key, name))
  }
  return next
}

function parameter(key: string, name: string) {
  return key ? `${key}.${name}` : name
}
