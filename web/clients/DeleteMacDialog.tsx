import type { ReactNode } from 'react'
import { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import { now } from '../clock.ts'
import { OnDay } from '../moments.tsx'
import { Question } from '../Question.tsx'
import type { FoundMac } from '../tables/macs.tsx'
import { deletion } from './deletion.ts'
import { Loss } from './Loss.tsx'

interface DeleteMacDialogProps {
  client: FoundMac | null
  onClose: () => void
  onDone: () => void
  onOutdated: (client: FoundMac) => void
}

/** The question before deleting a MAC together with its client. */
export function DeleteMacDialog({ client, onClose, onDone, onOutdated }: DeleteMacDialogProps) {
  return (
    <Question
      about={client}
      title="Confirm Deletion"
      no="No"
      call={calls.admin.remove}
      input={deletion.input}
      onClose={onClose}
      onDone={onDone}
      onOutdated={onOutdated}
    >
      {(client) => (
        <>
          <p>{sentence(client)}</p>
          <p style={{ marginTop: 8 }}>
            <Loss client={client} />
          </p>
        </>
      )}
    </Question>
  )
}

function sentence({ mac, expiry }: FoundMac): ReactNode {
  if (expiryState(expiry, now()) === 'expired') {
    return `Are you sure you want to delete this MAC address ${mac}?`
  }
  return (
    <>
      This account {mac} has not expired. It will be expiring on <OnDay iso={expiry} />. Are you sure you want
      to delete this MAC address?
    </>
  )
}
