import type { ReactNode } from 'react'
import { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { AnyClientRow } from '../../contract/shapes.ts'
import { days } from '../../contract/words.ts'
import { now } from '../clock.ts'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { daysUntil } from '../parts/time.ts'
import { useSubmit } from '../queries.ts'
import { zone } from '../zone.ts'
import { Day } from './Day.tsx'
import { useHeld } from './useHeld.ts'

interface DeleteAnyClientProps {
  /** Null while the question is closed. */
  client: AnyClientRow | null
  onClose: () => void
}

/** Asks before the admin deletes a client, whose service may not be over. */
export function DeleteAnyClient({ client, onClose }: DeleteAnyClientProps) {
  const held = useHeld(client)
  const { submit, loading, submitError, reset } = useSubmit(calls.admin.remove, { onDone: onClose })
  if (!held) return null
  const { name, dealer } = held
  const close = () => {
    reset()
    onClose()
  }
  return (
    <Confirm
      open={client !== null}
      title={`Delete ${name}?`}
      yes="Delete"
      no="Cancel"
      onYes={() => submit({ name })}
      onNo={close}
      loading={loading}
      error={submitError?.message ?? null}
    >
      <p>
        {name} is a client of {dealer}. {consequence(held)} This cannot be undone.
      </p>
    </Confirm>
  )
}

/** What is lost: days that were paid for and not yet served. */
function consequence({ expiry }: AnyClientRow): ReactNode {
  const day = <Day iso={expiry} />
  if (expiryState(expiry, now()) === 'expired') return <>It expired on {day}, so nothing is lost.</>
  const left = daysUntil(expiry, zone(), now())
  if (left === 0) return 'Its service ends today, so nothing but the rest of today is lost.'
  return (
    <>
      It is served until {day}: {days(left)} are lost, and no credits come back.
    </>
  )
}
