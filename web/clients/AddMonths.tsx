import { styled } from '@mui/material/styles'
import { type ReactNode, useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { inCredits, shortage } from '../../contract/quantities.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { OnDay } from '../moments.tsx'
import { Fault } from '../parts/ErrorState.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { useEndOfError } from '../parts/form/useEndOfError.ts'
import { AskForMore } from './AskForMore.tsx'
import { MONTH_OPTIONS } from './startOptions.ts'
import { type Quoted, useQuote } from './useQuote.ts'

interface AddMonthsProps {
  client: ClientDetail | undefined
  expired: boolean
  /** True while the form is being sent, and until the next page opens. */
  isSending: boolean
  /** True where nobody knows whether it was carried out: then the months stay as they were sent. */
  unanswered: boolean
  /** Reports whether the chosen months can be paid. An expired client needs at least one month. */
  onPayable: (payable: boolean) => void
}

/** The select of months to add to a client, with their price and the new expiry. */
export function AddMonths({ client, expired, isSending, unanswered, onPayable }: AddMonthsProps) {
  const months = Number(useWatch({ name: 'months' }))
  const { data, answer, isPlaceholderData, error, refetch } = useQuote(
    [client?.name ?? ''],
    months,
    client !== undefined && months > 0 && !isSending && !unanswered,
  )
  const payable = months === 0 ? !expired : answer !== null && answer.balance_after >= 0
  useEffect(() => onPayable(payable), [payable, onPayable])
  useEndOfError('months', payable)
  // What is just being asked for again stands there meanwhile.
  const fieldText =
    data && !isPlaceholderData && !error
      ? fieldTextOf(data)
      : { fault: error ? <Fault message={error.message} onRetry={refetch} /> : undefined }
  const nothing = { help: expired ? EXPIRED : undefined }
  const isHeld = unanswered && months > 0
  return (
    <TwoLines>
      <SelectInput
        name="months"
        label="Add months"
        options={OPTIONS}
        disabled={isHeld}
        {...(isHeld ? { help: SENT_BEFORE } : months === 0 ? nothing : fieldText)}
      />
    </TwoLines>
  )
}

/** Reserves two lines for the price, which need them on a phone, so that nothing moves while it is asked for. */
const TwoLines = styled('div')({ '& p': { minHeight: '2.125rem' } })

const SENT_BEFORE = 'Try again: nothing is done twice'

const EXPIRED = 'This client has expired. Add months to renew it; until then all else stays as it is.'

const OPTIONS = [{ value: 0, label: 'No months' }, ...MONTH_OPTIONS]

function fieldTextOf({ cost, credits: balance, balance_after, expiries }: Quoted): {
  help?: ReactNode
  fault?: ReactNode
  wayOut?: ReactNode
} {
  if (balance_after < 0) return { fault: shortage(balance, cost), wayOut: <AskForMore /> }
  const help = (
    <>
      Costs {inCredits(cost)}; you have {inCredits(balance)}. New expiry{' '}
      <OnDay iso={expiries[0]?.new_expiry ?? ''} />.
    </>
  )
  return { help }
}
