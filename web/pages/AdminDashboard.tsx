import { Tv, Users } from 'lucide-react'
import { calls } from '../../contract/calls.ts'
import { BranchGrowth } from '../accounts/BranchGrowth.tsx'
import { LatestTransactions } from '../accounts/LatestTransactions.tsx'
import { Chart } from '../parts/chart/Chart.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Stack } from '../parts/Stack.tsx'
import { Tile, Tiles } from '../parts/Tile.tsx'
import { useCall } from '../queries.ts'
import { to } from '../screens.ts'
import { transactions } from '../tables/transactions.tsx'

/** The admin's dashboard: totals, growth and the newest transactions. */
export function AdminDashboard() {
  const list = useCall(calls.level.superreseller.list, {})
  const totals = useCall(calls.admin.totals, {})
  return (
    <>
      <title>Dashboard · Boxtree</title>
      <PageTitle>Dashboard</PageTitle>
      <Tiles>
        <Tile
          label="All Clients"
          value={list.data?.totalClients.toLocaleString('en-US') ?? '–'}
          to={to.allClients({ filter: 'all' })}
          icon={<Tv aria-hidden size={18} />}
          loading={list.isPending}
        />
        <Tile
          label="Super Resellers"
          value={list.data?.count.toLocaleString('en-US') ?? '–'}
          to={to.level.superreseller.list()}
          icon={<Users aria-hidden size={18} />}
          loading={list.isPending}
        />
        <Tile label="Credits" value="Unlimited" loading={false} />
      </Tiles>
      <Stack>
        <Chart
          title="Number of Clients Over Time"
          across="Date"
          up="Number of Clients"
          data={
            totals.data && {
              times: totals.data.onDate,
              series: [{ name: 'Clients', values: totals.data.clients }],
            }
          }
          loading={totals.isFetching}
          error={totals.error?.message}
          onRetry={totals.refetch}
          empty="No clients yet"
        />
        <LatestTransactions title="Latest Transactions" table={transactions} />
        <BranchGrowth clients={false} />
      </Stack>
    </>
  )
}
