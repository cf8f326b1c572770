import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { SearchX } from 'lucide-react'
import { Link, useParams } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import { ClientHistory } from '../clients/ClientHistory.tsx'
import { DeviceCard } from '../clients/DeviceCard.tsx'
import { RetrieveCard } from '../clients/RetrieveCard.tsx'
import { UpdateCard } from '../clients/UpdateCard.tsx'
import { useNow } from '../clock.ts'
import { Card } from '../parts/Card.tsx'
import { EmptyState, ErrorState } from '../parts/ErrorState.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Stack } from '../parts/Stack.tsx'
import { useCall } from '../queries.ts'
import { to } from '../screens.ts'

/** One client: its data and months, its credits back, its box and its history. */
export function UpdateClient() {
  const { name = '' } = useParams()
  return (
    <>
      <title>{`${name} · Boxtree`}</title>
      <PageTitle>Update Client: {name}</PageTitle>
      <Cards key={name} name={name} />
    </>
  )
}

function Cards({ name }: { name: string }) {
  const now = useNow()
  const { data: client, error, refetch } = useCall(calls.clients.detail, { name })
  const expired = client !== undefined && expiryState(client.expiry, now) === 'expired'
  if (error && !client) {
    return (
      <Card>
        {error.code === 'not_found' ? (
          <EmptyState
            icon={<SearchX size={32} strokeWidth={1.25} />}
            text="There is no client of this name"
            action={toClients}
          />
        ) : (
          <ErrorState message={error.message} onRetry={refetch} />
        )}
      </Card>
    )
  }
  return (
    <Stack>
      <Pair>
        <UpdateCard client={client} expired={expired} reload={async () => (await refetch()).data} />
        <Stack>
          <RetrieveCard client={client} expired={expired} />
          <DeviceCard client={client} expired={expired} />
        </Stack>
      </Pair>
      <ClientHistory name={name} />
    </Stack>
  )
}

const toClients = (
  <Button variant="outlined" component={Link} to={to.clients()}>
    Show all clients
  </Button>
)

const Pair = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 336px), 1fr))',
  alignItems: 'start',
  gap: 24,
})
