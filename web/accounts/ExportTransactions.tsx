import { useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { counted } from '../../contract/quantities.ts'
import { Day } from '../../contract/shapes.ts'
import { daysInOrder } from '../../contract/transactions.ts'
import { useExport } from '../calls/useExport.ts'
import { now } from '../clock.ts'
import { DayInput } from '../parts/form/DayInput.tsx'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { Progress } from '../parts/Progress.tsx'
import { showMoment } from '../parts/time.ts'
import { useDelayed } from '../parts/useDelayed.ts'
import { useSession } from '../session.tsx'
import { zone } from '../zone.ts'
import type { ChosenFilter } from './useTransactions.ts'

export interface ExportTransactionsProps {
  open: boolean
  /** What else the exported transactions are selected by; its days are offered first. */
  filter?: (ChosenFilter & { search?: string }) | undefined
  onClose: () => void
}

/** Asks for two days and downloads the transactions between them as CSV. */
export function ExportTransactions({ open, filter, onClose }: ExportTransactionsProps) {
  const { role } = useSession()
  const call = calls.desk[role].exportTransactions
  const { received, start, stop } = useExport(call)
  const late = useDelayed(received !== null)
  const { from, to } = filter ?? {}
  const today = showMoment(now().toISOString(), zone(), 'date')
  const [openedOn, setOpenedOn] = useState(today)
  // An open dialog keeps its days, also past midnight.
  if (!open && openedOn !== today) setOpenedOn(today)
  const last = to ?? openedOn
  const first = from ?? `${last.slice(0, 8)}01`
  const values = useMemo(() => ({ from: first, to: last }), [first, last])
  return (
    <FormDialog
      open={open}
      title="Export transactions"
      onClose={onClose}
      onStop={stop}
      schema={Days}
      values={values}
      autoFocus
      label="Export as CSV"
      onSubmit={async (days) => (await start({ ...filter, ...days })) && onClose()}
      sending={{ loading: received !== null, submitError: null }}
    >
      <DayInput name="from" label="From" />
      <LastDay />
      {late && received && (
        <Progress label="Export">{counted(received.rows, 'transaction')} received</Progress>
      )}
    </FormDialog>
  )
}

/** The last day. A browser writes the days of its fields in its own way, so they are repeated as they are written here. */
function LastDay() {
  const [from, to] = useWatch({ name: ['from', 'to'] })
  const help = from && to ? `From ${from} to ${to}, both included.` : 'Both days are included.'
  return <DayInput name="to" label="To" help={help} />
}

const Days = z.object({ from: Day, to: Day }).check(daysInOrder)
