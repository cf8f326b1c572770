import { calls } from '../../contract/calls.ts'
import { Card } from '../parts/Card.tsx'
import { Chart } from '../parts/chart/Chart.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import { useListState } from '../parts/table/useListState.ts'
import { useCall } from '../queries.ts'
import { statistics } from '../tables/statistics.tsx'

/** How a superreseller grew, day by day: as a table, and its clients as a line. */
export function Growth({ name }: { name: string }) {
  const list = useListState('statistics', statistics)
  const rows = useCall(calls.admin.statistics, { name })
  const chart = useCall(calls.admin.chart, { name })
  return (
    <>
      <Card title="Statistics History" flush>
        <DataTable
          label="Statistics History"
          table={statistics}
          list={list}
          rows={rows.data}
          loading={rows.isFetching}
          error={rows.error?.message}
          onRetry={rows.refetch}
        />
      </Card>
      <Chart
        title="Clients History"
        across="Date"
        up="Clients"
        data={
          chart.data && { days: chart.data.onDate, series: [{ name: 'Clients', values: chart.data.clients }] }
        }
        loading={chart.isFetching}
        error={chart.error?.message}
        onRetry={chart.refetch}
        empty="No statistics found"
      />
    </>
  )
}
