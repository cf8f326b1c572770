import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { useCall, useSubmit } from '../queries.ts'
import { LowBalance } from './LowBalance.tsx'

/** Sets the threshold of a child, which holds as long as the child has set none itself. */
export function ChildLowBalance({ name }: { name: string }) {
  const account = useCall(calls.tree.account, { name })
  const [saved, setSaved] = useState<number | null>()
  const saving = useSubmit(calls.lowBalance.ofChild, { onDone: (_, { below }) => setSaved(below) })
  return (
    <LowBalance
      below={account.data?.low_below}
      loaded={account}
      help="Shown to both of you. Its own threshold goes before."
      saving={saving}
      saved={saved}
      onSave={(below) => saving.submit({ name, below })}
    />
  )
}
