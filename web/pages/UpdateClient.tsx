import { useEffect } from 'react'
import { useParams } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import { useCall } from '../calls/useCall.ts'
import { ClientHistory } from '../clients/ClientHistory.tsx'
import { DeviceCard } from '../clients/DeviceCard.tsx'
import { DeviceHistory } from '../clients/DeviceHistory.tsx'
import { RetrieveCard } from '../clients/RetrieveCard.tsx'
import { SentEventsCard } from '../clients/SentEventsCard.tsx'
import { UpdateCard } from '../clients/UpdateCard.tsx'
import { VerdictCard } from '../clients/VerdictCard.tsx'
import { useNow } from '../clock.ts'
import { dropDraftsOf } from '../drafts.ts'
import { MaybeThere } from '../MaybeThere.tsx'
import { PageHead } from '../PageHead.tsx'
import { Pair, Stack } from '../parts/Stack.tsx'
import { to } from '../screens.ts'
import { useSession } from '../session.tsx'

/** Shows one client: its service, data and renewal, the retrieval of credits, its box, and the histories of both. */
export function UpdateClient() {
  const { name = '' } = useParams()
  return (
    <>
      <PageHead title={`Update Client: ${name}`} tab={name} />
      <Cards key={name} name={name} />
    </>
  )
}

/** How often the client is loaded again: its box may come on while its owner is on the telephone. */
const EVERY_MS = 15_000

function Cards({ name }: { name: string }) {
  const now = useNow()
  const { name: dealer } = useSession()
  const loaded = useCall(calls.clients.detail, { name }, { every: EVERY_MS })
  const { data: client } = loaded
  const expired = client !== undefined && expiryState(client.expiry, now) === 'expired'
  const isGone = loaded.error?.code === 'not_found'
  // Nobody could see what was typed about it any more, nor discard it.
  useEffect(() => {
    if (isGone) dropDraftsOf(dealer, [name])
  }, [isGone, dealer, name])
  return (
    <MaybeThere loaded={loaded} none="There is no client of this name" others={CLIENTS}>
      <Stack>
        <VerdictCard client={client} />
        <Pair style={{ alignItems: 'start' }}>
          <UpdateCard
            client={client}
            expired={expired}
            reload={async () => (await loaded.refetch({ throwOnError: true })).data}
          />
          <Stack>
            <RetrieveCard client={client} expired={expired} />
            <DeviceCard client={client} expired={expired} />
          </Stack>
        </Pair>
        <ClientHistory name={name} />
        <SentEventsCard name={client?.name ?? name} blocked={!client || expired} />
        <DeviceHistory name={name} />
      </Stack>
    </MaybeThere>
  )
}

const CLIENTS = { path: to.clients(), label: 'Show all clients' }
