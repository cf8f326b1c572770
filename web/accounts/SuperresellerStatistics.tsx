import { calls } from '../../contract/calls.ts'
import { useCall } from '../calls/useCall.ts'
import { Chart } from '../parts/chart/Chart.tsx'
import { TableCard } from '../TableCard.tsx'
import { statistics } from '../tables/statistics.ts'

/** Shows the daily statistics of a superreseller as a table, and its number of clients as a chart. */
export function SuperresellerStatistics({ name }: { name: string }) {
  const daily = useCall(calls.admin.statistics, { name })
  const chart = useCall(calls.admin.chart, { name })
  return (
    <>
      <TableCard
        label="Statistics History"
        name="statistics"
        table={statistics}
        rows={daily.data}
        loaded={daily}
      />
      <Chart
        title="Clients History"
        across="Date"
        up="Clients"
        loaded={chart}
        draw={({ onDate, clients }) => ({ times: onDate, series: [{ name: 'Clients', values: clients }] })}
        empty="No statistics found"
      />
    </>
  )
}
