import type { calls, InputOf, OutputOf } from '../../contract/calls.ts'
import { LIST_FILTERS } from '../../contract/clients.ts'
import type { AnyClientRow, ClientRow } from '../../contract/shapes.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useCall } from '../calls/useCall.ts'
import type { Table } from '../parts/table/table.ts'
import { useLastPage } from '../parts/table/useLastPage.ts'
import { type ListState, useListState } from '../parts/table/useListState.ts'

type ListCall = typeof calls.clients.list | typeof calls.admin.clients

/** A row of the list; the admin's rows include the dealer. */
type RowOf<C extends ListCall> = C extends typeof calls.admin.clients ? AnyClientRow : ClientRow

/** One page of clients, with the state that the list around it needs. */
export interface ClientPage<Row = ClientRow> {
  list: ListState
  /** The input of the call. */
  query: InputOf<typeof calls.clients.list>
  /** Undefined until the first page has loaded. */
  rows: readonly Row[] | undefined
  /** The number of clients that the search and the filter find. */
  count: number
  /** True when there are more than `count`. */
  capped: boolean
  /** The number of clients that the search finds in each state. */
  counts: OutputOf<typeof calls.clients.list>['counts'] | undefined
  loading: boolean
  /** Why the rows could not be loaded. */
  error: string | undefined
  retry: () => void
}

/** Loads the page that the URL asks for. A page number past the end becomes the last page. */
export function useClientPage<C extends ListCall>(call: C, table: Table<RowOf<C>>): ClientPage<RowOf<C>> {
  const list = useListState('', table, LIST_FILTERS)
  const { page, perPage: per_page, search, sort, order, filter } = list
  // The call accepts exactly the columns and filters that the table declares.
  const query = { page, per_page, search, sort, order, filter } as InputOf<typeof calls.clients.list>
  const { data, isPending, isPlaceholderData, error, refetch } = useCall(call, query as InputOf<C>, {
    keep: true,
    // Who is online changes by itself.
    every: filter === 'online' ? MINUTE_MS : undefined,
  })
  const found = data as OutputOf<ListCall> | undefined
  useLastPage(list, isPlaceholderData ? undefined : found?.total_pages)
  return {
    list,
    query,
    rows: found?.data as readonly RowOf<C>[] | undefined,
    count: found?.count ?? 0,
    capped: found?.count_capped === true,
    counts: found?.counts,
    loading: isPending || isPlaceholderData,
    error: error?.message,
    retry: refetch,
  }
}
