import { Ban, CircleHelp, Monitor, Wifi } from 'lucide-react'
import { useMemo } from 'react'
import { calls } from '../../contract/calls.ts'
import { useUnknownBoxes } from '../boxes/useUnknownBoxes.ts'
import { Card } from '../parts/Card.tsx'
import { Chart } from '../parts/chart/Chart.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Stack } from '../parts/Stack.tsx'
import { Tile, Tiles } from '../parts/Tile.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import { useCall } from '../queries.ts'
import { to } from '../screens.ts'
import { TableCard } from '../TableCard.tsx'
import { models, refusals } from '../tables/boxes.tsx'
import { zone } from '../zone.ts'

/** The boxes that ask: how many are online, which are refused and why, what they are, and those of nobody. */
export function Boxes() {
  const loaded = useCall(calls.boxes.overview, {}, { every: A_MINUTE })
  // Counting them reads every box.
  const told = useCall(calls.boxes.models, {}, { every: 5 * A_MINUTE })
  const unknown = useUnknownBoxes(A_MINUTE)
  const { data } = loaded
  const chart = useMemo(
    () =>
      data && {
        times: data.counts.at,
        zone: zone(),
        series: [{ name: 'Online', values: data.counts.online }],
      },
    [data],
  )
  const ofNobody = data?.refused.find(({ reason }) => reason === 'unknown')?.boxes ?? 0
  const refused = data?.refused.reduce((sum, { boxes }) => sum + boxes, 0) ?? 0
  return (
    <>
      <title>Boxes · Boxtree</title>
      <PageTitle>Boxes</PageTitle>
      <Tiles>
        <Tile
          label="Online now"
          value={data ? shown(data.online) : '–'}
          share={data && data.known > 0 ? `${Math.round((100 * data.online) / data.known)}%` : undefined}
          to={to.allClients({ filter: 'online' })}
          icon={<Wifi aria-hidden size={18} />}
          loading={loaded.isPending}
        />
        <Tile
          label="Known boxes"
          value={data ? shown(data.known) : '–'}
          icon={<Monitor aria-hidden size={18} />}
          loading={loaded.isPending}
        />
        <Tile
          label="Refused"
          value={data ? shown(refused - ofNobody) : '–'}
          share="in 24 hours"
          none={refused === ofNobody}
          icon={<Ban aria-hidden size={18} />}
          loading={loaded.isPending}
        />
        <Tile
          label="Unknown"
          value={data ? shown(ofNobody) : '–'}
          share="in 24 hours"
          none={ofNobody === 0}
          icon={<CircleHelp aria-hidden size={18} />}
          loading={loaded.isPending}
        />
      </Tiles>
      <Stack>
        <Chart
          title="Online over the Day"
          across="Time"
          up="Boxes"
          data={chart}
          loading={loaded.isFetching && !data}
          error={loaded.error?.message}
          onRetry={loaded.refetch}
          empty="No boxes were counted yet"
        />
        <Card title="Unknown Boxes" flush>
          <DataTable label="Unknown Boxes" {...unknown} />
        </Card>
        <TableCard
          label="Refused in 24 Hours"
          name="refused"
          table={refusals}
          loaded={{ ...loaded, data: data?.refused }}
        />
        <TableCard
          label="Types and Versions"
          name="models"
          table={models}
          loaded={{ ...told, data: told.data?.data }}
        />
      </Stack>
    </>
  )
}

const A_MINUTE = 60_000

function shown(number: number): string {
  return number.toLocaleString('en-US')
}
