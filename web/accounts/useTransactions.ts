import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { Day, TRANSACTION_TYPES, type Transaction } from '../../contract/shapes.ts'
import { dayFault } from '../../contract/transactions.ts'
import { useCall } from '../calls/useCall.ts'
import type { Table } from '../parts/table/table.ts'
import { useListState } from '../parts/table/useListState.ts'
import { useNewestParams } from '../parts/useNewestParams.ts'
import { useServedPage } from '../useServedPage.ts'

/** What the filters of transactions select; a field that is left out selects all. */
export interface ChosenFilter {
  account?: string
  client?: string
  type?: Transaction['type']
  from?: string
  to?: string
}

/** Keeps the filters in the URL. A day or type there that does not exist selects all. */
export function useTransactionFilter() {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => read(params), [params])
  const newest = useNewestParams()
  const change = (name: keyof ChosenFilter, value: string) => {
    const next = newest()
    if (value === '') next.delete(name)
    else next.set(name, value)
    next.delete('page')
    setParams(next, { replace: true, preventScrollReset: true })
  }
  /** Shows all transactions again: without a filter and without a search. */
  const clear = () => {
    const rest = [...newest()].filter(([name]) => !NARROWING.has(name))
    setParams(new URLSearchParams(rest), { replace: true, preventScrollReset: true })
  }
  return { filter, change, clear }
}

/** The parameters of the URL that select some of all transactions, or a page of them. */
const NARROWING = new Set(['account', 'client', 'type', 'from', 'to', 'search', 'page'])

function read(params: URLSearchParams): ChosenFilter {
  const day = (name: string) => Day.safeParse(params.get(name)).data
  const name = (of: string) => params.get(of)?.slice(0, 200)
  const [account, client] = [name('account'), name('client')]
  const type = TRANSACTION_TYPES.find((one) => one === params.get('type'))
  const [from, to] = [day('from'), day('to')]
  return {
    ...(account && { account }),
    ...(client && { client }),
    ...(type && { type }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

/** Loads the page of transactions that the URL asks for, and their sums. */
export function useTransactionPage(table: Table<Transaction>, filter: ChosenFilter) {
  const list = useListState('', table)
  const { page, perPage: per_page, search, sort, order } = list
  const selected = { ...filter, search }
  // The call sorts by exactly the columns that the table lets people sort by.
  const query = { ...selected, page, per_page, sort, order } as InputOf<typeof calls.transactions.list>
  const outOfOrder = dayFault(filter)
  const asking = { keep: true, enabled: outOfOrder === undefined }
  const loaded = useCall(calls.transactions.list, query, asking)
  const sums = useCall(calls.transactions.sums, selected, asking)
  const served = useServedPage(list, loaded)
  const { data, error } = loaded
  // To ask again cannot help where nobody has the name that was typed.
  const unknown = error?.code === 'not_found' ? error.message : undefined
  const fault = outOfOrder === undefined ? unknown : `${outOfOrder}.`
  if (fault !== undefined)
    return { served: { ...served, ...NOTHING, emptyText: fault }, sums: NO_SUMS, summing: false }
  // The sums of another filter are not those of this one.
  const summing = sums.isPending || sums.isPlaceholderData
  const counted = data && countedBy(data, summing ? undefined : sums.data)
  return {
    // Where there are more than 10,000 transactions, the last page is not the end of them.
    served: {
      ...served,
      rows: counted && { rows: data.data, ...counted, last: data.total_pages },
      onRetry: () => Promise.all([loaded.refetch(), sums.error && sums.refetch()]),
    },
    sums,
    summing,
    /** Whether only the newest 10,000 are in the order that was chosen. */
    isPartlySorted: data?.count_capped === true && sort !== 'created',
  }
}

/** What is shown of days of which the last is before the first, and of an account or client that is not there. */
const NOTHING = { rows: { rows: [], count: 0 }, loading: false, error: undefined }
const NO_SUMS = { data: undefined, error: null, refetch: () => {} }

/** The page counts to 10,000 only; the sums, which may come later, count all. */
function countedBy(
  page: OutputOf<typeof calls.transactions.list>,
  sums: OutputOf<typeof calls.transactions.sums> | undefined,
): { count: number; capped: boolean } {
  if (page.count_capped && sums)
    return { count: sums.data.reduce((sum, { transactions }) => sum + transactions, 0), capped: false }
  return { count: page.count, capped: page.count_capped }
}
