import { Clock, Tv, TvMinimalPlay, Unplug } from 'lucide-react'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { BalanceTile } from '../accounts/BalanceTile.tsx'
import { LatestTransactions } from '../accounts/LatestTransactions.tsx'
import { SpentCard } from '../accounts/SpentCard.tsx'
import { useCall } from '../calls/useCall.ts'
import { DueCard } from '../clients/DueCard.tsx'
import { FirstDay } from '../clients/FirstDay.tsx'
import { PageHead } from '../PageHead.tsx'
import { share } from '../parts/number.ts'
import { Pair, Stack } from '../parts/Stack.tsx'
import { Tile, Tiles } from '../parts/Tile.tsx'
import type { Tone } from '../parts/tone.ts'
import { to } from '../screens.ts'
import { dealerTransactions } from '../tables/transactions.tsx'

/** The dealer's dashboard: the balance, the clients by state, the newest transactions, and what the day needs. */
export function DealerDashboard() {
  const clients = useCall(calls.clients.list, { per_page: 1 })
  return (
    <>
      <PageHead title="Dashboard" />
      <Tiles>
        <BalanceTile />
        {TILES.map(({ filter, label, tone, icon }) => (
          <Tile
            key={filter}
            label={label}
            value={clients.data?.counts[filter]}
            beside={filter === 'all' ? undefined : shareOf(clients.data?.counts, filter)}
            to={to.clients({ filter })}
            tone={clients.data?.counts[filter] === 0 ? undefined : tone}
            icon={icon}
            none={clients.data?.counts[filter] === 0}
            loading={clients.isPending}
          />
        ))}
      </Tiles>
      <Stack>
        <LatestTransactions
          title="Latest Dealer Transactions"
          table={dealerTransactions}
          first={{ label: 'Create the first client', to: to.newClient() }}
        />
        <FirstDay first={clients.data} loading={clients.isPending} />
        <Pair>
          <DueCard />
          <SpentCard />
        </Pair>
      </Stack>
    </>
  )
}

type Counts = OutputOf<typeof calls.clients.list>['counts']

const TILES: readonly { filter: keyof Counts; label: string; tone?: Tone; icon: React.ReactNode }[] = [
  { filter: 'all', label: 'All Clients', icon: <Tv aria-hidden size={18} /> },
  { filter: 'active', label: 'Active Clients', tone: 'good', icon: <TvMinimalPlay aria-hidden size={18} /> },
  { filter: 'expired', label: 'Expired Clients', tone: 'bad', icon: <Unplug aria-hidden size={18} /> },
  { filter: 'expiring', label: 'Expiring Soon', tone: 'warn', icon: <Clock aria-hidden size={18} /> },
]

/** Returns a count as a percentage of all clients; 0 % without clients. */
function shareOf(counts: Counts | undefined, filter: keyof Counts): string | undefined {
  if (!counts) return undefined
  return share(counts[filter], counts.all)
}
