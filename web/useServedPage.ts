import { useEffect } from 'react'
import type { DataTableProps } from './parts/table/DataTable.tsx'
import type { ListState } from './parts/table/useListState.ts'

/** One page of a list, as every call that pages answers it. */
interface Answer<Row> {
  data: readonly Row[]
  count: number
  count_capped?: boolean
  total_pages: number
}

/** What is asked of the query that loads a page. */
export interface ServedQuery<Row> {
  data: Answer<Row> | undefined
  isPending: boolean
  isPlaceholderData: boolean
  isFetching: boolean
  error: { message: string } | null
  refetch: () => unknown
}

/** What a table shows of a page from the server. */
export type ServedRows<Row extends object, List extends ListState = ListState> = Pick<
  DataTableProps<Row>,
  'loading' | 'error' | 'onRetry'
> & { list: List; rows: Exclude<DataTableProps<Row>['rows'], readonly Row[]> }

/** Returns what a table needs of a page that the server chose. From a page past the end it turns to the last one. */
export function useServedPage<Row extends object, List extends ListState>(
  list: List,
  loaded: ServedQuery<Row>,
): ServedRows<Row, List> {
  const { data, isPending, isPlaceholderData, isFetching, error, refetch } = loaded
  const { page, setPage } = list
  const isPastEnd = data !== undefined && page > data.total_pages
  // Neither the page before, which stays until this one has come, nor an earlier answer knows how many there are now.
  const last = isPlaceholderData || isFetching || !isPastEnd ? null : data.total_pages
  useEffect(() => {
    if (last !== null) setPage(last, true)
  })
  return {
    list,
    rows: data && { rows: data.data, count: data.count, capped: data.count_capped },
    loading: isPending || isPlaceholderData || (isFetching && isPastEnd),
    error: error?.message,
    onRetry: refetch,
  }
}
