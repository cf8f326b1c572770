import { calls } from '../../contract/calls.ts'
import type { AnyClientRow } from '../../contract/shapes.ts'
import { clientDeleted } from '../calls/notices.ts'
import { Question } from '../Question.tsx'
import { deletion } from './deletion.ts'
import { Loss } from './Loss.tsx'

interface DeleteAnyClientProps {
  client: AnyClientRow | null
  onClose: () => void
}

/** The admin's question before deleting any client, expired or not. */
export function DeleteAnyClient({ client, onClose }: DeleteAnyClientProps) {
  return (
    <Question
      {...deletion}
      about={client}
      call={calls.admin.remove}
      notices={clientDeleted}
      onClose={onClose}
    >
      {(client) => (
        <p>
          <Loss client={client} />
        </p>
      )}
    </Question>
  )
}
