import Button from '@mui/material/Button'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { Transaction } from '../../contract/shapes.ts'
import { Later } from '../parts/dialog/later.tsx'
import type { Table } from '../parts/table/table.ts'
import { useCall } from '../queries.ts'
import { useSession } from '../session.tsx'
import { TableCard } from '../TableCard.tsx'
import { exportDialog } from './exportDialog.ts'
import { NewestOnly } from './NewestOnly.tsx'

/** The newest transactions of the caller and of everything beneath, and the way to all of them as a file. */
export function LatestTransactions({ title, table }: { title: string; table: Table<Transaction> }) {
  const { role } = useSession()
  const latest = useCall(calls.desk[role].transactions, {})
  const [exporting, setExporting] = useState(false)
  return (
    <TableCard
      label={title}
      table={table}
      loaded={latest}
      tools={
        <>
          <NewestOnly />
          <Button variant="outlined" startIcon={<Download size={16} />} onClick={() => setExporting(true)}>
            Export
          </Button>
        </>
      }
    >
      <Later part={exportDialog} given={{ open: exporting, onClose: () => setExporting(false) }} />
    </TableCard>
  )
}
