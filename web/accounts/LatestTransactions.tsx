import Button from '@mui/material/Button'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { Transaction } from '../../contract/shapes.ts'
import { Card } from '../parts/Card.tsx'
import { Later, part } from '../parts/dialog/later.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import type { Table } from '../parts/table/table.ts'
import { useListState } from '../parts/table/useListState.ts'
import { useCall } from '../queries.ts'
import { useSession } from '../session.tsx'
import type { ExportTransactionsProps } from './ExportTransactions.tsx'

/** The newest transactions of the caller and of everything beneath, and the way to all of them as a file. */
export function LatestTransactions({ title, table }: { title: string; table: Table<Transaction> }) {
  const { role } = useSession()
  const list = useListState('', table)
  const { data, isFetching, error, refetch } = useCall(calls.desk[role].transactions, {})
  const [exporting, setExporting] = useState(false)
  return (
    <Card title={title} flush>
      <DataTable
        label={title}
        table={table}
        list={list}
        rows={data}
        loading={isFetching}
        error={error?.message}
        onRetry={refetch}
        tools={
          <Button variant="outlined" startIcon={<Download size={16} />} onClick={() => setExporting(true)}>
            Export
          </Button>
        }
      />
      <Later part={dialog} given={{ open: exporting, onClose: () => setExporting(false) }} />
    </Card>
  )
}

const dialog = part<ExportTransactionsProps>(
  async () => (await import('./ExportTransactions.tsx')).ExportTransactions,
)
