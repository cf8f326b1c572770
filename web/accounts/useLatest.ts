import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { Transaction } from '../../contract/shapes.ts'
import { useCall } from '../calls/useCall.ts'
import { isAwaited } from '../parts/isAwaited.ts'
import type { DataTableProps } from '../parts/table/DataTable.tsx'
import type { Table } from '../parts/table/table.ts'
import { useListState } from '../parts/table/useListState.ts'
import { useSession } from '../session.tsx'

/** How many rows it searches, sorts and pages. */
const NEWEST = 1_000

type Latest = Pick<DataTableProps<Transaction>, 'list' | 'rows' | 'loading' | 'error' | 'onRetry'>

/**
 * Loads the newest transactions of the caller and of everything beneath. The first page comes by itself. A thousand
 * rows weigh as much as a tenth of a first visit, so they come once the person turns to the table.
 */
export function useLatest(table: Table<Transaction>): Latest & { fetchAll: () => void } {
  const { role } = useSession()
  const list = useListState('', table)
  const [wanted, setWanted] = useState(false)
  const { by, order } = table.firstSort
  const isFirstPage =
    list.page === 1 && list.search === '' && list.typed === '' && list.sort === by && list.order === order
  const all = useCall(calls.desk[role].transactions, {}, { enabled: wanted || !isFirstPage })
  const isWhole = !isFirstPage || (wanted && all.data !== undefined)
  // The server's page is as long as the largest of this table.
  const first = useCall(calls.transactions.list, {}, { enabled: !isWhole })
  const page = first.data && {
    rows: first.data.data.slice(0, list.perPage),
    count: Math.min(first.data.count, NEWEST),
  }
  const asked = isWhole ? all : first
  return {
    list,
    rows: isWhole ? (all.data ?? (all.isFetching ? page : undefined)) : page,
    loading: isAwaited(asked, asked.data),
    error: asked.error?.message,
    onRetry: asked.refetch,
    fetchAll: () => setWanted(true),
  }
}
