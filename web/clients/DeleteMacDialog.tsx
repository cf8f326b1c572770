import type { ReactNode } from 'react'
import { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import { now } from '../clock.ts'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { useSubmit } from '../queries.ts'
import { Day } from './Day.tsx'
import type { FoundMac } from './MacResult.tsx'
import { useHeld } from './useHeld.ts'

interface DeleteMacDialogProps {
  /** Null while the question is closed. */
  client: FoundMac | null
  onClose: () => void
  onDone: () => void
}

/** Asks before a MAC is deleted, with its client. */
export function DeleteMacDialog({ client, onClose, onDone }: DeleteMacDialogProps) {
  const held = useHeld(client)
  const { submit, loading, submitError, reset } = useSubmit(calls.admin.remove, { onDone })
  if (!held) return null
  const { name, mac } = held
  const close = () => {
    reset()
    onClose()
  }
  return (
    <Confirm
      open={client !== null}
      title="Confirm Deletion"
      onYes={() => submit({ name, mac })}
      onNo={close}
      loading={loading}
      error={submitError?.message ?? null}
    >
      <p>{question(held)}</p>
    </Confirm>
  )
}

function question({ mac, expiry }: FoundMac): ReactNode {
  if (expiryState(expiry, now()) === 'expired') {
    return `Are you sure you want to delete this MAC address ${mac}?`
  }
  return (
    <>
      This account {mac} has not expired. It will be expiring on <Day iso={expiry} />. Are you sure you want
      to delete this MAC address?
    </>
  )
}
