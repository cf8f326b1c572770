import { type ReactNode, useEffect, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { calls } from '../../contract/calls.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { inCredits, shortage } from '../../contract/words.ts'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { useCall, WHILE_SHORT } from '../queries.ts'
import { OnDay } from '../When.tsx'
import { inMonths } from '../words.ts'
import type { Quoted } from './Quote.tsx'

interface AddMonthsProps {
  client: ClientDetail | undefined
  expired: boolean
  /** True once the form is being submitted or has been. */
  sent: boolean
  /** True where nobody knows whether it was carried out: then the months stay as they were sent. */
  unanswered: boolean
  /** Reports whether the chosen months can be paid. An expired client needs at least one month. */
  onPayable: (payable: boolean) => void
}

/** The select of months to add to a client, with their price and the new expiry. */
export function AddMonths({ client, expired, sent, unanswered, onPayable }: AddMonthsProps) {
  const months = Number(useWatch({ name: 'months' }))
  const [isShort, setIsShort] = useState(false)
  const { data, isPlaceholderData, isFetching, error } = useCall(
    calls.clients.quote,
    { clients: [client?.name ?? ''], months },
    {
      enabled: client !== undefined && months > 0 && !sent && !unanswered,
      keep: true,
      anew: true,
      every: isShort ? WHILE_SHORT : undefined,
    },
  )
  const quote = months > 0 && !isPlaceholderData && !isFetching ? data : undefined
  const short = data !== undefined && data.balance_after < 0
  if (short !== isShort) setIsShort(short)
  const payable = months === 0 ? !expired : quote !== undefined && quote.balance_after >= 0
  useEffect(() => onPayable(payable), [payable, onPayable])
  const words = quote ? says(quote) : { fault: error?.message }
  const nothing = { help: expired ? EXPIRED : undefined }
  const isHeld = unanswered && months > 0
  return (
    <SelectInput
      name="months"
      label="Add months"
      options={OPTIONS}
      disabled={isHeld}
      {...(isHeld ? { help: SENT_BEFORE } : months === 0 ? nothing : words)}
    />
  )
}

const SENT_BEFORE = 'Try again: nothing is done twice'

const EXPIRED = 'This client has expired. Add months to renew it; until then all else stays as it is.'

const OPTIONS = Array.from({ length: 13 }, (_, value) => ({
  value,
  label: value === 0 ? 'No months' : inMonths(value),
}))

function says({ cost, credits: balance, balance_after, expiries }: Quoted): {
  help?: ReactNode
  fault?: string
} {
  if (balance_after < 0) return { fault: shortage(balance, cost) }
  const help = (
    <>
      Costs {inCredits(cost)}; you have {inCredits(balance)}. New expiry{' '}
      <OnDay iso={expiries[0]?.new_expiry ?? ''} />.
    </>
  )
  return { help }
}
