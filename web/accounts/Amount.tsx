import { useEffect } from 'react'
import { useFormContext, useFormState } from 'react-hook-form'
import { CreditAmount, creditsFrom, MOST_CREDITS, PassedCredits } from '../../contract/credits.ts'
import { inCredits } from '../../contract/quantities.ts'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { number } from '../parts/number.ts'
import { CreditsInput } from './CreditsInput.tsx'
import { CREDIT_AMOUNTS } from './creditAmounts.ts'
import { numberIn, typedNumber } from './typedNumber.ts'

/** The two fields of an amount: one chosen from the list, and any other that is typed and then counts. */
export const amountFields = {
  credits: CreditAmount,
  other: typedNumber({ number: PassedCredits, orEmpty: true, otherwise: creditsFrom(1) }),
}

export const FIRST_AMOUNT = { credits: 1, other: '' }

/** Returns the amount that the two fields mean. */
export function amountOf({ credits, other }: { credits: number; other: string }): number {
  return other.trim() === '' ? Number(credits) : numberIn(other)
}

const OPTIONS = CREDIT_AMOUNTS.map((value) => ({ value, label: inCredits(value) }))

/** Chooses an amount from the list, or takes any that is typed beside it. Choosing from the list empties the other. */
export function Amount() {
  const { setValue } = useFormContext()
  useRefusalOfTyped()
  return (
    <>
      <SelectInput
        name="credits"
        label="Credits"
        options={OPTIONS}
        onChoose={() => setValue('other', '', { shouldValidate: true })}
      />
      <CreditsInput
        name="other"
        label="Other amount"
        help={`Any from 1 to ${number(MOST_CREDITS)}, instead of the list`}
      />
    </>
  )
}

/** Shows the server's refusal of an amount that was typed where it was typed, and not at the list. */
function useRefusalOfTyped(): void {
  const { getValues, setError, clearErrors } = useFormContext()
  const { credits: refusal } = useFormState({ name: 'credits' }).errors
  useEffect(() => {
    if (refusal?.type !== 'server' || getValues('other').trim() === '') return
    clearErrors('credits')
    setError('other', { type: 'server', message: String(refusal.message) }, { shouldFocus: true })
  }, [refusal, getValues, setError, clearErrors])
}
