import Button from '@mui/material/Button'
import { Link } from 'react-router'
import type { Transaction } from '../../contract/shapes.ts'
import { NewestOnly } from '../NewestOnly.tsx'
import { Card } from '../parts/Card.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import type { Table } from '../parts/table/table.ts'
import { ExportButton } from './ExportButton.tsx'
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
            <ExportButton />
          </>
        }
      />
    </Card>
  )
}
