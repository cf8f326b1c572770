import Button from '@mui/material/Button'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
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
  /** Where the first transaction begins, for whoever has none yet. */
  first: { label: string; to: string }
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
        emptyAction={
          <Button variant="contained" component={Link} to={first.to}>
            {first.label}
          </Button>
        }
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
