import { useMemo } from 'react'
import { calls } from '../../contract/calls.ts'
import { Chart } from '../parts/chart/Chart.tsx'
import { useCall } from '../queries.ts'

/** The clients beneath the caller over time, and the credits used each day. */
export function BranchGrowth({ clients = true }: { clients?: boolean }) {
  const growth = useCall(calls.tree.growth, {})
  const { data } = growth
  const shared = {
    across: 'Date',
    loading: growth.isFetching,
    error: growth.error?.message,
    onRetry: growth.refetch,
  }
  const [ofClients, ofCredits] = useMemo(
    () => [
      data && { times: data.onDate, series: [{ name: 'Clients', values: data.clients }] },
      data && { times: data.onDate, series: [{ name: 'Credits', values: data.used }] },
    ],
    [data],
  )
  return (
    <>
      {clients && (
        <Chart
          {...shared}
          title="Number of Clients Over Time"
          up="Number of Clients"
          data={ofClients}
          empty="No clients yet"
        />
      )}
      <Chart
        {...shared}
        title="Credits Used Over Time"
        up="Credits used"
        data={ofCredits}
        empty="No credits used yet"
      />
    </>
  )
}
