import { calls } from '../../contract/calls.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { LowBalance } from './LowBalance.tsx'
import { useSaved } from './useSaved.ts'

/** Sets the threshold of a child, which holds as long as the child has set none itself. */
export function ChildLowBalance({ name }: { name: string }) {
  const account = useCall(calls.tree.account, { name })
  const [below, noteSaved] = useSaved(account.data?.low_below)
  const saving = useSubmit(calls.lowBalance.ofChild, { onDone: (_, { below }) => noteSaved(below) })
  return (
    <LowBalance
      below={below}
      loaded={account}
      help={`You both see the mark. If ${name} has set a threshold itself, that one counts.`}
      saving={saving}
      onSave={(below) => saving.submit({ name, below })}
    />
  )
}
