import { calls } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { useCall } from '../calls/useCall.ts'
import { NewestOnly } from '../NewestOnly.tsx'
import { TableCard } from '../TableCard.tsx'
import { branchTransactions } from '../tables/transactions.tsx'

/** The newest transactions of one account and of everything beneath it. */
export function AccountHistory({ level, name }: { level: LevelName; name: string }) {
  const history = useCall(calls.level[level].history, { name })
  return (
    <TableCard
      label="Transactions"
      name="transactions"
      table={branchTransactions}
      rows={history.data}
      loaded={history}
      tools={<NewestOnly account={name} />}
    />
  )
}
