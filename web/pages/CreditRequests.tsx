import { useEffect } from 'react'
import { calls } from '../../contract/calls.ts'
import { NEWEST_REQUESTS } from '../../contract/requests.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { AskForCredits } from '../accounts/AskForCredits.tsx'
import { ChildRequests } from '../accounts/ChildRequests.tsx'
import { LowBalance } from '../accounts/LowBalance.tsx'
import { useSaved } from '../accounts/useSaved.ts'
import { forgetGivenUp } from '../calls/submits.ts'
import { useBalance } from '../calls/useBalance.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { PageHead } from '../PageHead.tsx'
import { Quiet } from '../parts/Quiet.tsx'
import { Stack } from '../parts/Stack.tsx'
import { useSession } from '../session.tsx'
import { TableCard } from '../TableCard.tsx'
import { ownRequests } from '../tables/requests.tsx'

/** The requests for credits from below, the caller's own to its parent, and when its balance is low. */
export function CreditRequests() {
  const { role } = useSession()
  return (
    <>
      <PageHead title="Credit Requests" />
      <Stack>
        {role !== 'dealer' && <ChildRequests />}
        {role !== 'admin' && <Own first={role === 'dealer'} />}
      </Stack>
    </>
  )
}

function Own({ first }: { first: boolean }) {
  // The parent may answer while the page stays open.
  const loaded = useCall(calls.requests.own, {}, { every: MINUTE_MS })
  const { name } = useSession()
  const { data, dataUpdatedAt } = loaded
  // A request that was made although its answer was lost may have been withdrawn elsewhere since, or answered.
  const isNoneOpen = data?.data.every(({ state }) => state !== 'open')
  useEffect(() => {
    if (isNoneOpen) forgetGivenUp(name, calls.requests.ask, dataUpdatedAt)
  }, [isNoneOpen, name, dataUpdatedAt])
  const balance = useBalance()
  const [below, noteSaved] = useSaved(balance.lowBelow)
  const saving = useSubmit(calls.lowBalance.own, { onDone: (_, { below }) => noteSaved(below) })
  return (
    <>
      <AskForCredits loaded={loaded} first={first} />
      <LowBalance
        below={below}
        loaded={balance}
        help="Shown to you and to whoever gives you credits"
        saving={saving}
        onSave={(below) => saving.submit({ below })}
      />
      <TableCard
        label="Your Requests"
        name="own"
        table={ownRequests}
        rows={loaded.data?.data}
        loaded={loaded}
        tools={<Quiet>The newest {NEWEST_REQUESTS}</Quiet>}
      />
    </>
  )
}
