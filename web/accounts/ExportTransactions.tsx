import Button from '@mui/material/Button'
import { useMemo } from 'react'
import { calls } from '../../contract/calls.ts'
import { now } from '../clock.ts'
import { download } from '../download.ts'
import { DayInput } from '../parts/DayInput.tsx'
import { Form } from '../parts/Form.tsx'
import { showMoment } from '../parts/time.ts'
import { Window } from '../parts/Window.tsx'
import { useSubmit } from '../queries.ts'
import { useSession } from '../session.tsx'
import { zone } from '../zone.ts'

export interface ExportTransactionsProps {
  open: boolean
  onClose: () => void
}

/** Asks between which two days, and fetches all transactions of them as a CSV. */
export function ExportTransactions({ open, onClose }: ExportTransactionsProps) {
  const { role } = useSession()
  const call = calls.desk[role].exportTransactions
  const save = useSubmit(call, {
    changes: [],
    onDone: ({ ticket }) => {
      download(ticket)
      onClose()
    },
  })
  const values = useMemo(() => thisMonth(), [])
  return (
    <Window open={open} title="Export transactions" onClose={onClose} busy={save.loading}>
      <Form
        schema={call.input}
        values={values}
        submit="Export as CSV"
        onSubmit={save.submit}
        loading={save.loading}
        submitError={save.submitError}
        aside={<Button onClick={onClose}>Cancel</Button>}
      >
        <DayInput name="from" label="From" />
        <DayInput name="to" label="To" help="Both days are included." />
      </Form>
    </Window>
  )
}

function thisMonth() {
  const today = showMoment(now().toISOString(), zone(), 'date')
  return { from: `${today.slice(0, 8)}01`, to: today }
}
