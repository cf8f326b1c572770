import Button from '@mui/material/Button'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { PaidMonths } from '../../contract/clients.ts'
import { counted, inCredits } from '../../contract/quantities.ts'
import { loadAgain } from '../calls/cache.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { NOT_TWICE } from '../parts/notTwice.ts'
import { UnderWay } from '../parts/Progress.tsx'
import { Quote } from './Quote.tsx'
import { MONTH_OPTIONS } from './startOptions.ts'
import type { Quoted } from './useQuote.ts'

interface RenewDialogProps {
  open: boolean
  /** The logins of the clients; null while the dialog is closed. */
  names: readonly string[] | null
  onClose: () => void
  onDone?: () => void
  /** Receives those of many clients that somebody else has deleted or moved. */
  onGone?: (names: readonly string[]) => void
}

/** Renews one or many clients, after showing the price and each client's new expiry. */
export function RenewDialog({ open, names, onClose, onDone, onGone }: RenewDialogProps) {
  const shown = useLastValue(names)
  const [quote, setQuote] = useState<Quoted | null>(null)
  const [gone, setGone] = useState<readonly string[]>([])
  const { renew, loading, submitError, outdated, unanswered, reset, reload } = useRenewal(quote, () => {
    onDone?.()
    onClose()
  })
  // What may have been done already is sent again as it was: a new quote would begin at the expiry that it has led to.
  const isHeld = loading || unanswered
  const close = () => {
    reset()
    onClose()
  }
  if (!shown) return null
  // While the next quote loads, those stay left out that the last one has left out.
  const count = quote?.expiries.length ?? shown.filter((name) => !gone.includes(name)).length
  return (
    <FormDialog
      // Anew for other clients, also while the last one fades: neither its months nor its price are theirs.
      key={shown.join('\n')}
      open={open}
      title={
        shown.length === 1
          ? `Renew ${shown[0]}`
          : count === 0
            ? 'Renew clients'
            : `Renew ${counted(count, 'client')}`
      }
      onClose={close}
      schema={Months}
      values={ONE_MONTH}
      label={({ months }) => labelOf(count, Number(months))}
      onSubmit={({ months }) => renew(months)}
      autoFocus
      sending={{ loading, submitError }}
      blocked={!quote || quote.balance_after < 0 || outdated}
      aside={
        <Button variant="outlined" disabled={loading} onClick={outdated ? reload : close}>
          {outdated ? 'Reload' : 'Cancel'}
        </Button>
      }
    >
      <SelectInput
        name="months"
        label="Months"
        options={MONTH_OPTIONS}
        disabled={unanswered}
        help={unanswered ? NOT_TWICE : undefined}
      />
      <Quote
        clients={shown}
        asking={open && !isHeld}
        onAnswer={isHeld ? keepQuote : setQuote}
        onGone={(names) => {
          setGone(names)
          onGone?.(names)
        }}
      />
      <UnderWay loading={loading} what={`Renewing ${counted(count, 'client')}`} />
    </FormDialog>
  )
}

/** Takes no other quote. */
function keepQuote() {}

const Months = z.object({ months: PaidMonths })
const ONE_MONTH = { months: 1 }

function labelOf(count: number, months: number): string {
  if (count === 0) return 'Renew'
  const cost = inCredits(count * months)
  return count === 1 ? `Renew for ${cost}` : `Renew ${counted(count, 'client')} for ${cost}`
}

/** Renews the clients of a quote. Each expiry shown is sent along, so that the server refuses if one has changed. */
function useRenewal(quote: Quoted | null, onDone: () => void) {
  const cache = useQueryClient()
  const one = useSubmit(calls.clients.renew, { onDone })
  const many = useSubmit(calls.clients.multirenew, { onDone })
  // Which of them was sent is not asked of the quote, which is gone while it is loaded again: the refusal would go, and
  // come back as a new one.
  const [isOfOne, setOfOne] = useState(true)
  const renew = (months: number) => {
    const [first, ...more] = quote?.expiries ?? []
    if (!quote || !first) return
    setOfOne(more.length === 0)
    if (more.length === 0) one.submit({ name: first.name, months, expiry: first.expiry })
    else {
      many.submit({
        clients: quote.expiries.map(({ name }) => name),
        months,
        expiries: quote.expiries.map(({ expiry }) => expiry),
      })
    }
  }
  const reset = () => {
    one.reset()
    many.reset()
  }
  const reload = () => {
    reset()
    loadAgain(cache, [calls.clients.quote])
  }
  const { loading, submitError, outdated, unanswered } = isOfOne ? one : many
  return { renew, loading, submitError, outdated, unanswered, reset, reload }
}
