import { useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useNavigation, useSearchParams } from 'react-router'
import { type Column, firstPerPage, type Order, type Table } from './table.ts'

/** What a list shows, read from the URL, and the ways to change it. */
export interface ListState {
  /** From 1. */
  page: number
  perPage: number
  sort: string
  order: Order
  /** The search in the URL, which follows `typed` after 250 ms: what a server is asked for. */
  search: string
  /** The search as typed: what the box shows and rows in the browser are searched by. */
  typed: string
  /** One of the filters given, or '' where there are none. */
  filter: string
  dense: boolean
  /** `replace` leaves no step to go back to: for a page that is not there. */
  setPage: (page: number, replace?: boolean) => void
  setPerPage: (perPage: number) => void
  /** Sorts by a column; a second time turns the order. */
  sortBy: (key: string) => void
  setSearch: (text: string) => void
  setFilter: (filter: string) => void
  setDense: (dense: boolean) => void
}

type Shape = Pick<Table<never>, 'firstSort' | 'pageSizes' | 'perPage' | 'searchFault'> & {
  columns: readonly Pick<Column<never>, 'key' | 'sort'>[]
}

const debounce = 250

/**
 * Holds the state of a list in the URL, so that it can be shared and the back button works. `key` keeps several
 * lists of one page apart ('' for the only one); `filters` are the words the filter knows, the first by default.
 * Whatever the URL says that the table does not know falls back on the table's own first state.
 */
export function useListState(key: string, shape: Shape, filters: readonly string[] = ['']): ListState {
  const [params, changeParams] = useParams()
  const state = useMemo(() => read(params, key, shape, filters), [params, key, shape, filters])
  const [typed, setTyped] = useTyped(state.search, (text) => {
    if (!shape.searchFault?.(text)) write({ search: text, page: '' }, true)
  })
  const first = read(empty, key, shape, filters)

  const write = (change: Record<string, string>, replace: boolean) =>
    changeParams((now) => changed(now, key, change, first), replace)

  return {
    ...state,
    typed,
    page: typed === state.search ? state.page : 1,
    setPage: (page, replace = false) => write({ page: String(page) }, replace),
    setPerPage: (perPage) => write({ perPage: String(perPage), page: '' }, true),
    sortBy: (by) => write({ ...nextSort(state, by), page: '' }, true),
    setSearch: setTyped,
    setFilter: (filter) => write({ filter, page: '' }, false),
    setDense: (dense) => write({ dense: String(dense) }, true),
  }
}

/**
 * The parameters of the URL. A change is shown first and written into the URL once it is painted: that takes the
 * browser a while, the router then draws everything anew that knows of the URL, and the rows need not wait for either.
 */
function useParams() {
  const [params, setParams] = useSearchParams()
  const [ahead, setAhead] = useState<URLSearchParams | null>(null)
  const shown = ahead ?? params
  const leaving = useLeaving()
  // The setter closes over the parameters of its own render; the newest one is always called.
  const latest = useRef({ shown, setParams, leaving })
  latest.current = { shown, setParams, leaving }
  const arrived = ahead?.toString() === params.toString()
  useEffect(() => {
    if (!ahead) return
    // Whatever kept it from the URL, such as Back in the same moment, the URL is right.
    const timer = setTimeout(() => setAhead(null), arrived ? 0 : 2_000)
    return () => clearTimeout(timer)
  }, [ahead, arrived])
  const write = useAfterPaint((next: URLSearchParams, replace: boolean) => {
    // Somebody on their way to another page is not called back by what they had typed here.
    if (!latest.current.leaving) latest.current.setParams(next, { replace, preventScrollReset: true })
  })
  const change = (by: (now: URLSearchParams) => URLSearchParams, replace: boolean) => {
    const next = by(latest.current.shown)
    if (next.toString() === latest.current.shown.toString()) return
    latest.current.shown = next
    setAhead(next)
    write(next, replace)
  }
  return [shown, change] as const
}

function useLeaving(): boolean {
  const { pathname } = useLocation()
  const { location } = useNavigation()
  return location !== undefined && location.pathname !== pathname
}

/** The same function, called once the present change is painted; one that still waits goes before the next. */
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

/** The text in a box, at once, and `commit` once the typing pauses; a change from outside (Back) wins. */
function useTyped(committed: string, commit: (text: string) => void) {
  const [typed, setTyped] = useState(committed)
  const sent = useRef(committed)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (committed === sent.current) return
    sent.current = committed
    clearTimeout(timer.current)
    setTyped(committed)
  }, [committed])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = text
      commit(text)
    }, debounce)
  }
  return [typed, type] as const
}

const empty = new URLSearchParams()

type State = ReturnType<typeof read>

function read(params: URLSearchParams, key: string, shape: Shape, filters: readonly string[]) {
  const get = (name: string) => params.get(named(key, name)) ?? ''
  const perPage = Number(get('perPage'))
  const sortable = shape.columns.some((column) => column.key === get('sort') && column.sort !== false)
  const order = get('order')
  return {
    page: Math.max(1, Math.trunc(Number(get('page'))) || 1),
    perPage: shape.pageSizes.includes(perPage) ? perPage : firstPerPage(shape),
    sort: sortable ? get('sort') : shape.firstSort.by,
    order: order === 'asc' || order === 'desc' ? order : sortable ? ('asc' as const) : shape.firstSort.order,
    search: shape.searchFault?.(get('search')) ? '' : get('search'),
    filter: filters.includes(get('filter')) ? get('filter') : (filters[0] ?? ''),
    dense: get('dense') !== 'false',
  }
}

function nextSort(state: State, by: string) {
  const turned = state.order === 'asc' ? 'desc' : 'asc'
  return { sort: by, order: state.sort === by ? turned : 'asc' }
}

/** The parameters with a change; what is as at first is left out, so that a plain list has a plain address. */
function changed(now: URLSearchParams, key: string, change: Record<string, string>, first: State) {
  const next = new URLSearchParams(now)
  for (const [name, value] of Object.entries(change)) next.set(named(key, name), value)
  // An order without its sort would be read against the first sort, so the two leave together.
  const plainSort =
    next.get(named(key, 'sort')) === first.sort && next.get(named(key, 'order')) === first.order
  for (const name of ['sort', 'order']) if (plainSort) next.delete(named(key, name))
  for (const name of ['page', 'perPage', 'search', 'filter', 'dense'] as const) {
    const value = next.get(named(key, name))
    if (value === '' || value === String(first[name])) next.delete(named(key, name))
  }
  return next
}

function named(key: string, name: string) {
  return key ? `${key}.${name}` : name
}
