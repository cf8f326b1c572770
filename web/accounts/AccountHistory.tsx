import { calls } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { Card } from '../parts/Card.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import { useListState } from '../parts/table/useListState.ts'
import { useCall } from '../queries.ts'
import { transactions } from '../tables/transactions.tsx'

/** The newest transactions of one account and of everything beneath it. */
export function AccountHistory({ level, name }: { level: LevelName; name: string }) {
  const list = useListState('transactions', transactions)
  const { data, isFetching, error, refetch } = useCall(calls.level[level].history, { name })
  return (
    <Card title="Transactions" flush>
      <DataTable
        label="Transactions"
        table={transactions}
        list={list}
        rows={data}
        loading={isFetching}
        error={error?.message}
        onRetry={refetch}
      />
    </Card>
  )
}
