import type { calls, InputOf, OutputOf } from '../../contract/calls.ts'
import { LIST_FILTERS, type ListFilter } from '../../contract/clients.ts'
import type { AnyClientRow, ClientRow } from '../../contract/shapes.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useCall } from '../calls/useCall.ts'
import type { Table } from '../parts/table/table.ts'
import { type FilteredList, useListState } from '../parts/table/useListState.ts'
import { type ServedQuery, type ServedRows, useServedPage } from '../useServedPage.ts'

type ListCall = typeof calls.clients.list | typeof calls.admin.clients

/** A row of the list; the admin's rows include the dealer. */
type RowOf<C extends ListCall> = C extends typeof calls.admin.clients ? AnyClientRow : ClientRow

/** One page of clients as a table shows it, with what is around the table. */
export interface ClientPage<Row extends ClientRow = ClientRow>
  extends ServedRows<Row, FilteredList<ListFilter>> {
  /** The input of the call. */
  query: InputOf<typeof calls.clients.list>
  /** The number of clients that the search finds in each state. */
  counts: OutputOf<typeof calls.clients.list>['counts'] | undefined
}

/** Loads the page that the URL asks for. */
export function useClientPage<C extends ListCall>(call: C, table: Table<RowOf<C>>): ClientPage<RowOf<C>> {
  const list = useListState('', table, LIST_FILTERS)
  const { page, perPage: per_page, search, sort, order, filter } = list
  // The call accepts exactly the columns that the table declares.
  const query = { page, per_page, search, sort, order, filter } as InputOf<typeof calls.clients.list>
  const loaded = useCall(call, query as InputOf<C>, {
    keep: true,
    // Who is online changes by itself.
    every: filter === 'online' ? MINUTE_MS : undefined,
  })
  return { ...useServedPage(list, loaded as ServedQuery<RowOf<C>>), query, counts: loaded.data?.counts }
}
