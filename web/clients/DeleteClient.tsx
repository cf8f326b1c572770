import { calls } from '../../contract/calls.ts'
import type { ClientRow } from '../../contract/shapes.ts'
import { dropDraftsOf } from '../drafts.ts'
import { OnDay } from '../moments.tsx'
import { Question } from '../Question.tsx'
import { useSession } from '../session.tsx'
import { deletion } from './deletion.ts'

interface DeleteClientProps {
  /** An expired client; null while the dialog is closed. */
  client: ClientRow | null
  onClose: () => void
  onDone: (name: string) => void
}

/** The dealer's question before deleting an expired client. */
export function DeleteClient({ client, onClose, onDone }: DeleteClientProps) {
  const { name: dealer } = useSession()
  return (
    <Question
      {...deletion}
      about={client}
      call={calls.clients.remove}
      onClose={onClose}
      onDone={({ name }) => {
        dropDraftsOf(dealer, [name])
        onDone(name)
      }}
    >
      {({ name, mac, expiry }) => (
        <p>
          {name} expired on <OnDay iso={expiry} />. Its login
          {mac === null ? ' becomes' : ` and its MAC address ${mac} become`} free for another client. This
          cannot be undone.
        </p>
      )}
    </Question>
  )
}
