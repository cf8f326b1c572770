import { calls } from '../../contract/calls.ts'
import { useCall } from '../calls/useCall.ts'
import { NewestOnly } from '../NewestOnly.tsx'
import { TableCard } from '../TableCard.tsx'
import { clientTransactions } from '../tables/transactions.tsx'

/** The newest transactions of one client. */
export function ClientHistory({ name }: { name: string }) {
  const history = useCall(calls.clients.history, { name })
  return (
    <TableCard
      label="Transactions"
      name="transactions"
      table={clientTransactions}
      rows={history.data}
      loaded={history}
      tools={<NewestOnly client={name} />}
    />
  )
}
