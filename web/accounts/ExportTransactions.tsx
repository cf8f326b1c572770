import Button from '@mui/material/Button'
import { useMemo } from 'react'
import { calls } from '../../contract/calls.ts'
import { now } from '../clock.ts'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { DayInput } from '../parts/form/DayInput.tsx'
import { Form } from '../parts/form/Form.tsx'
import { showMoment } from '../parts/time.ts'
import { useSession } from '../session.tsx'
import { useExport } from '../useExport.ts'
import { zone } from '../zone.ts'

export interface ExportTransactionsProps {
  open: boolean
  onClose: () => void
}

/** Asks for two days and downloads the transactions between them as CSV. */
export function ExportTransactions({ open, onClose }: ExportTransactionsProps) {
  const { role } = useSession()
  const call = calls.desk[role].exportTransactions
  const { received, start, stop } = useExport(call)
  const values = useMemo(() => thisMonth(), [])
  return (
    <Dialog open={open} title="Export transactions" onClose={onClose} busy={received !== null}>
      <Form
        schema={call.input}
        values={values}
        autoFocus
        submit={received ? `${received.rows.toLocaleString('en-US')} transactions` : 'Export as CSV'}
        onSubmit={async (days) => (await start(days)) && onClose()}
        loading={received !== null}
        submitError={null}
        aside={<Button onClick={received ? stop : onClose}>{received ? 'Stop' : 'Cancel'}</Button>}
      >
        <DayInput name="from" label="From" />
        <DayInput name="to" label="To" help="Both days are included." />
      </Form>
    </Dialog>
  )
}

function thisMonth() {
  const today = showMoment(now().toISOString(), zone(), 'date')
  return { from: `${today.slice(0, 8)}01`, to: today }
}
