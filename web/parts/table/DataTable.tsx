import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type ReactNode, type RefObject, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { EmptyState, ErrorState, Outdated } from '../ErrorState.tsx'
import { own } from '../own.ts'
import { useDelayed } from '../useDelayed.ts'
import { useFault } from '../useFault.ts'
import { matching, prepare, sorted } from './arrange.ts'
import { useMarks } from './marks.ts'
import { NarrowRows } from './NarrowRows.tsx'
import { Pager } from './Pager.tsx'
import { quietIcon } from './quietIcon.tsx'
import type { RowSelection } from './selection.ts'
import { TableTools } from './TableTools.tsx'
import type { Table } from './table.ts'
import { foldedOf, useFit } from './useFit.ts'
import { useFocusKept } from './useFocusKept.ts'
import type { ListState } from './useListState.ts'
import { WideRows } from './WideRows.tsx'

export interface DataTableProps<Row extends object> {
  /** The table's name for screen readers, usually the heading of its card. */
  label: string
  table: Table<Row>
  list: ListState
  /** All rows, which are searched, sorted and paged in the browser; or one page from the server. */
  rows: readonly Row[] | ServedPage<Row> | undefined
  /** While rows load, the previous ones stay, dimmed. */
  loading: boolean
  error?: string | undefined
  onRetry: () => void
  select?: RowSelection<Row> | undefined
  /** Controls beside the search box, such as filters and export. */
  tools?: ReactNode
  /** What an empty table says, instead of what it says by itself. */
  emptyText?: string | undefined
  /** A button that a table without a row offers as the next step. */
  emptyAction?: ReactNode
  /** What it offers instead where a search or a filter has no match. By default it clears the search. */
  unmatchedAction?: ReactNode
  emptyIcon?: ReactNode
}

interface ServedPage<Row> {
  rows: readonly Row[]
  /** The number of rows that match the search and the filter. */
  count: number
  /** True when there are more than `count`, because the server stopped counting. */
  capped?: boolean | undefined
  /** The last page, where it is not the end of them. */
  last?: number | undefined
}

/** The console's only data table: a table on a desktop, cards on a phone. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { label, table, list, rows, loading, error } = props
  const page = usePage(table, list, rows)
  const place = useRef<HTMLDivElement>(null)
  const fit = useFit(table, props.select !== undefined, place)
  const { spared } = fit
  const folded = useMemo(() => ({ ...table, columns: foldedOf(table.columns, spared) }), [table, spared])
  const keys = page.rows.map(table.rowKey)
  const marks = useMarks(keys)
  useFocusKept(place, keys, props.select?.chosen.size === 0)
  const narrow = fit.cards
  const late = useDelayed(loading)
  const fault = useFault(error, rows)
  const fullest = useFullest(page.rows.length)
  const empty = rows !== undefined && page.rows.length === 0 && !loading
  const { select } = props
  const shared = { label, table, list, page: page.rows, select, marks, waiting: rows === undefined }
  return (
    <div ref={place}>
      <TableTools {...{ table, list, narrow }} folded={fit.folded} tools={props.tools} />
      <Body
        aria-busy={loading}
        data-waiting={rows === undefined && loading && fault === undefined}
        pale={late && (rows ?? fault) !== undefined}
        least={leastHeight(Math.min(list.perPage, fullest), list.dense, narrow)}
      >
        {fault !== undefined && rows === undefined && <ErrorState message={fault} onRetry={props.onRetry} />}
        {fault !== undefined && rows !== undefined && <Outdated message={fault} onRetry={props.onRetry} />}
        {empty && (
          <EmptyState
            icon={props.emptyIcon ?? quietIcon}
            text={(list.typed.trim() && table.notFound) || (props.emptyText ?? table.empty)}
            action={
              props.unmatchedAction ||
              (list.typed.trim() || list.search ? (
                <ClearSearch list={list} place={place} />
              ) : (
                props.emptyAction
              ))
            }
          />
        )}
        {(rows === undefined ? loading && fault === undefined : !empty) &&
          (narrow ? (
            <NarrowRows {...shared} />
          ) : (
            <WideRows {...shared} table={fit.folded ? folded : table} fit={fit} />
          ))}
      </Body>
      <Pager
        label={label}
        page={page.page}
        perPage={list.perPage}
        pageSizes={table.pageSizes}
        count={page.count}
        capped={page.capped}
        last={page.last}
        beyond={table.beyond}
        waiting={rows === undefined}
        onPage={list.setPage}
        onPerPage={list.setPerPage}
      />
    </div>
  )
}

function ClearSearch({ list, place }: { list: ListState; place: RefObject<HTMLElement | null> }) {
  const clear = () => {
    list.setSearch('')
    // The button goes, and somebody may want to search for something else.
    place.current?.querySelector<HTMLElement>('[type=search]')?.focus()
  }
  return (
    <Button variant="outlined" onClick={clear}>
      Clear the search
    </Button>
  )
}

/** Returns the rows of the current page. Searching is deferred, so that typing stays responsive. */
function usePage<Row extends object>(
  table: Table<Row>,
  list: ListState,
  source: DataTableProps<Row>['rows'],
) {
  const typed = useDeferredValue(list.typed)
  const { sort, order, perPage } = list
  const all = isServed(source) ? none : (source ?? none)
  useEffect(() => {
    if (!table.search) return
    const timer = setTimeout(() => prepare(table, all), 500)
    return () => clearTimeout(timer)
  }, [table, all])
  const matched = useMemo(() => matching(table, all, typed), [table, all, typed])
  const arranged = useMemo(() => sorted(table, matched, sort, order), [table, matched, sort, order])
  if (isServed(source)) {
    const { rows, count, capped = false, last } = source
    return { rows, count, capped, last, page: list.page }
  }
  const page = Math.min(list.page, Math.max(1, Math.ceil(arranged.length / perPage)))
  const rows = arranged.slice((page - 1) * perPage, page * perPage)
  return { rows, count: arranged.length, capped: false, last: undefined, page }
}

const none: readonly never[] = []

function isServed<Row>(source: readonly Row[] | ServedPage<Row> | undefined): source is ServedPage<Row> {
  return source !== undefined && 'count' in source
}

/**
 * Returns the number of rows on the fullest page so far, at most ten. The table keeps that height, so that a search, a
 * filter or a short last page moves nothing below it.
 */
function useFullest(rows: number): number {
  const fullest = useRef(0)
  fullest.current = Math.min(10, Math.max(fullest.current, rows))
  return fullest.current
}

/** Returns the height in CSS pixels. Cards differ in height, so they reserve only a little. */
function leastHeight(rows: number, dense: boolean, narrow: boolean): number {
  if (rows === 0) return 0
  return narrow ? Math.min(rows * 80, 240) : 40 + rows * (dense ? 40 : 52)
}

const Body = styled(
  'div',
  own('pale', 'least'),
)<{
  pale: boolean
  least: number
}>(({ pale, least }) => ({ minHeight: least, opacity: pale ? 0.55 : 1 }))
