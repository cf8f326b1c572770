import Button from '@mui/material/Button'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import type { ExportTransactionsProps } from './ExportTransactions.tsx'

/** The button that opens the dialog which exports transactions. */
export function ExportButton({ filter }: Pick<ExportTransactionsProps, 'filter'>) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="outlined" startIcon={<Download size={16} />} onClick={() => setOpen(true)}>
        Export
      </Button>
      <Later part={dialog} given={{ open, filter, onClose: () => setOpen(false) }} />
    </>
  )
}

const dialog = chunk(async () => (await import('./ExportTransactions.tsx')).ExportTransactions)
