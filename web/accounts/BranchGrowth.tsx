import { calls } from '../../contract/calls.ts'
import { useCall } from '../calls/useCall.ts'
import { Chart } from '../parts/chart/Chart.tsx'

/** The clients beneath the caller over time, and the credits used each day. */
export function BranchGrowth({ clients = true }: { clients?: boolean }) {
  const growth = useCall(calls.tree.growth, {})
  return (
    <>
      {clients && <ClientsChart loaded={growth} />}
      <Chart
        title="Credits Used Over Time"
        across="Date"
        up="Credits used"
        loaded={growth}
        draw={({ onDate, used }) => ({ times: onDate, series: [{ name: 'Credits', values: used }] })}
        empty="No credits used yet"
      />
    </>
  )
}

/** The clients over time, as two dashboards show them. */
export function ClientsChart({ loaded }: { loaded: Loaded }) {
  return (
    <Chart
      title="Number of Clients Over Time"
      across="Date"
      up="Number of Clients"
      loaded={loaded}
      draw={({ onDate, clients }) => ({ times: onDate, series: [{ name: 'Clients', values: clients }] })}
      empty="No clients yet"
    />
  )
}

type Loaded = Pick<
  ReturnType<typeof useCall<typeof calls.admin.totals>>,
  'data' | 'isFetching' | 'error' | 'refetch'
>
