import { calls } from '../../contract/calls.ts'
import { Card } from '../parts/Card.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import { useListState } from '../parts/table/useListState.ts'
import { useCall } from '../queries.ts'
import { clientTransactions } from '../tables/transactions.tsx'

/** The newest transactions of one client. */
export function ClientHistory({ name }: { name: string }) {
  const list = useListState('transactions', clientTransactions)
  const { data, isFetching, error, refetch } = useCall(calls.clients.history, { name })
  return (
    <Card title="Transactions" flush>
      <DataTable
        label="Transactions"
        table={clientTransactions}
        list={list}
        rows={data}
        loading={isFetching}
        error={error?.message}
        onRetry={refetch}
      />
    </Card>
  )
}
