import { Users } from 'lucide-react'
import { calls } from '../../contract/calls.ts'
import { BalanceTile } from '../accounts/BalanceTile.tsx'
import { firstStep } from '../accounts/firstStep.ts'
import { ClientsChart, UsedChart } from '../accounts/GrowthCharts.tsx'
import { LatestTransactions } from '../accounts/LatestTransactions.tsx'
import { useBalance } from '../calls/useBalance.ts'
import { useCall } from '../calls/useCall.ts'
import { type Level, levelBeneath } from '../levels.ts'
import { PageHead } from '../PageHead.tsx'
import { Stack } from '../parts/Stack.tsx'
import { Tile, Tiles } from '../parts/Tile.tsx'
import { to } from '../screens.ts'
import { useSession } from '../session.tsx'
import { branchTransactions, resellerTransactions } from '../tables/transactions.tsx'

/** The dashboard of superresellers and resellers: their totals, their balance and the newest transactions. */
export function BranchDashboard() {
  const { role } = useSession()
  const beneath = levelBeneath(role)
  return (
    <>
      <PageHead title="Dashboard" />
      {beneath && <Overview beneath={beneath} />}
    </>
  )
}

function Overview({ beneath }: { beneath: Level }) {
  const list = useCall(calls.level[beneath.role].list, {})
  const growth = useCall(calls.tree.growth, {})
  const { credits } = useBalance()
  return (
    <>
      <Tiles>
        <Tile
          label={beneath.plural}
          value={list.data?.count}
          to={to.level[beneath.role].list()}
          icon={<Users aria-hidden size={18} />}
          loading={list.isPending}
        />
        <BalanceTile />
      </Tiles>
      <Stack>
        <LatestTransactions
          title="Latest Transactions"
          table={beneath.role === 'dealer' ? resellerTransactions : branchTransactions}
          first={firstStep(beneath.role, list.data?.count, credits)}
        />
        <ClientsChart loaded={growth} />
        <UsedChart loaded={growth} />
      </Stack>
    </>
  )
}
