import { useEffect, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { calls } from '../../contract/calls.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { useCall } from '../calls/useCall.ts'
import { Fault } from '../parts/ErrorState.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'

interface MoveToProps {
  /** What the person chooses from: 'dealer' */
  kind: string
  /** The names of the accounts; undefined while they are loading. */
  names: readonly string[] | undefined
  /** Why they could not be loaded. */
  fault: string | undefined
  /** Says what a suspension does there to those who are moved; null where nothing changes for them. */
  warning: (to: AccountBeneath) => string | null
  /** Reports whether it is known if the chosen account is suspended: nobody is to be moved before. */
  onKnown: (known: boolean) => void
}

/** The choice of the account to which others, or clients, are moved. Warns where that is suspended. */
export function MoveTo({ kind, names, fault, warning, onKnown }: MoveToProps) {
  const to: string = useWatch({ name: 'to' })
  const gone = useGone(to, names)
  const found = useCall(calls.tree.account, { name: to }, { enabled: to !== '' })
  const { data: chosen, error, isFetching, refetch } = found
  // What was looked at before may have been suspended since.
  const known = chosen !== undefined && !isFetching && error === null
  useEffect(() => onKnown(known), [known, onKnown])
  const again = error && <Fault message={error.message} onRetry={refetch} />
  const help = names?.length === 0 ? `There is no other ${kind}` : chosen && warning(chosen)
  return (
    <SelectInput
      name="to"
      label="To"
      help={help}
      fault={fault ?? (again || gone)}
      options={[
        { value: '', label: `Choose a ${kind}` },
        ...(names ?? []).map((name) => ({ value: name, label: name })),
      ]}
    />
  )
}

/**
 * Clears the choice once it is not among the names any more: the list would show another one in its place. Says so until
 * another is chosen.
 */
function useGone(to: string, names: readonly string[] | undefined): string | undefined {
  const { setValue } = useFormContext()
  const [gone, setGone] = useState('')
  const isGone = to !== '' && names?.includes(to) === false
  useEffect(() => {
    if (!isGone) return
    setGone(to)
    setValue('to', '')
  }, [isGone, to, setValue])
  return to === '' && gone !== '' ? `${gone} can no longer be chosen.` : undefined
}

/**
 * Says what a suspension of an account, or above it, does to those who come beneath it; null where it does nothing.
 * @param isHeld whether only somebody above the person can move them away again then
 */
export function warningOf(
  { name, suspension }: AccountBeneath,
  effects: readonly string[],
  isHeld: boolean,
): string | null {
  const why = suspension ? `${name} is suspended` : `An account above ${name} is suspended`
  const what = [effects.join(', and '), isHeld ? 'only somebody above you can undo the move' : ''].filter(
    Boolean,
  )
  return what.length > 0 ? `${why}: ${what.join('; ')}.` : null
}
