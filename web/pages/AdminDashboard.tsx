import { Coins, Tv, Users } from 'lucide-react'
import { calls } from '../../contract/calls.ts'
import { firstStep } from '../accounts/firstStep.ts'
import { ClientsChart, UsedChart } from '../accounts/GrowthCharts.tsx'
import { LatestTransactions } from '../accounts/LatestTransactions.tsx'
import { useCall } from '../calls/useCall.ts'
import { PageHead } from '../PageHead.tsx'
import { Stack } from '../parts/Stack.tsx'
import { Tile, Tiles } from '../parts/Tile.tsx'
import { to } from '../screens.ts'
import { branchTransactions } from '../tables/transactions.tsx'

/** The admin's dashboard: totals, growth and the newest transactions. */
export function AdminDashboard() {
  const list = useCall(calls.level.superreseller.list, {})
  const totals = useCall(calls.admin.totals, {})
  const growth = useCall(calls.tree.growth, {})
  return (
    <>
      <PageHead title="Dashboard" />
      <Tiles>
        <Tile
          label="All Clients"
          value={list.data?.totalClients}
          to={to.allClients({ filter: 'all' })}
          icon={<Tv aria-hidden size={18} />}
          loading={list.isPending}
        />
        <Tile
          label="Super Resellers"
          value={list.data?.count}
          to={to.level.superreseller.list()}
          icon={<Users aria-hidden size={18} />}
          loading={list.isPending}
        />
        <Tile
          label="Credits"
          value="Unlimited"
          to={to.transactions()}
          icon={<Coins aria-hidden size={18} />}
          loading={false}
        />
      </Tiles>
      <Stack>
        <ClientsChart loaded={totals} />
        <LatestTransactions
          title="Latest Transactions"
          table={branchTransactions}
          first={firstStep('superreseller', list.data?.count, null)}
        />
        <UsedChart loaded={growth} />
      </Stack>
    </>
  )
}
