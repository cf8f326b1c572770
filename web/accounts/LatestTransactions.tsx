import Button from '@mui/material/Button'
import { Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Transaction } from '../../contract/shapes.ts'
import { NewestOnly } from '../NewestOnly.tsx'
import { Card } from '../parts/Card.tsx'
import { Later } from '../parts/dialog/Later.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import type { Table } from '../parts/table/table.ts'
import { exportDialog } from './exportDialog.ts'
import { useLatest } from './useLatest.ts'

interface LatestTransactionsProps {
  title: string
  table: Table<Transaction>
  /** The button that leads to the first transaction. */
  first: ReactNode
}

/** The newest transactions of the caller and of everything beneath, and the way to all of them as a file. */
export function LatestTransactions({ title, table, first }: LatestTransactionsProps) {
  const { fetchAll, ...latest } = useLatest(table)
  const [exporting, setExporting] = useState(false)
  return (
    <Card title={title} flush onFocus={fetchAll}>
      <DataTable
        label={title}
        table={table}
        {...latest}
        emptyAction={latest.list.search === '' && first}
        tools={
          <>
            <NewestOnly />
            <Button variant="outlined" startIcon={<Download size={16} />} onClick={() => setExporting(true)}>
              Export
            </Button>
          </>
        }
      />
      <Later part={exportDialog} given={{ open: exporting, onClose: () => setExporting(false) }} />
    </Card>
  )
}
