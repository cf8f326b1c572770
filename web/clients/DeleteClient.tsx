import { calls } from '../../contract/calls.ts'
import type { ClientRow } from '../../contract/shapes.ts'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { useSubmit } from '../queries.ts'
import { Day } from './Day.tsx'
import { useHeld } from './useHeld.ts'

interface DeleteClientProps {
  /** An expired client; null while the question is closed. */
  client: ClientRow | null
  onClose: () => void
  onDone: (name: string) => void
}

/** Asks before an expired client is deleted. */
export function DeleteClient({ client, onClose, onDone }: DeleteClientProps) {
  const held = useHeld(client)
  const { submit, loading, submitError, reset } = useSubmit(calls.clients.remove, {
    onDone: (_output, { name }) => {
      onDone(name)
      onClose()
    },
  })
  if (!held) return null
  const close = () => {
    reset()
    onClose()
  }
  return (
    <Confirm
      open={client !== null}
      title={`Delete ${held.name}?`}
      yes="Delete"
      no="Cancel"
      onYes={() => submit({ name: held.name })}
      onNo={close}
      loading={loading}
      error={submitError?.message ?? null}
    >
      <p>
        {held.name} expired on <Day iso={held.expiry} />. Its login
        {held.mac !== null && <> and its MAC address {held.mac}</>} become free for another client. This
        cannot be undone.
      </p>
    </Confirm>
  )
}
