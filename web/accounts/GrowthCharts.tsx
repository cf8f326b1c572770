import type { calls } from '../../contract/calls.ts'
import type { useCall } from '../calls/useCall.ts'
import { Chart } from '../parts/chart/Chart.tsx'

type LoadedBy<C extends typeof calls.admin.totals | typeof calls.tree.growth> = Pick<
  ReturnType<typeof useCall<C>>,
  'data' | 'isFetching' | 'error' | 'refetch'
>

/** The clients over time. */
export function ClientsChart({ loaded }: { loaded: LoadedBy<typeof calls.admin.totals> }) {
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

/** The credits that were used on each day, less those taken back. */
export function UsedChart({ loaded }: { loaded: LoadedBy<typeof calls.tree.growth> }) {
  return (
    <Chart
      title="Credits Used Over Time"
      across="Date"
      up="Credits used, less those taken back"
      loaded={loaded}
      draw={({ onDate, used }) => ({ times: onDate, series: [{ name: 'Credits', values: used }] })}
      empty="No credits used yet"
    />
  )
}
