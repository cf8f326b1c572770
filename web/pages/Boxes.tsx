import { Ban, CircleHelp, Monitor, Wifi } from 'lucide-react'
import { useMemo } from 'react'
import { UNKNOWN_BOX_DAYS } from '../../contract/boxes.ts'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useCall } from '../calls/useCall.ts'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { Chart } from '../parts/chart/Chart.tsx'
import { share } from '../parts/number.ts'
import { Quiet } from '../parts/Quiet.tsx'
import { Stack } from '../parts/Stack.tsx'
import { Tile, Tiles } from '../parts/Tile.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import { useListState } from '../parts/table/useListState.ts'
import { to } from '../screens.ts'
import { TableCard } from '../TableCard.tsx'
import { countOfUnknown, models, refusals, refusedOfClients, unknownBoxes } from '../tables/boxes.tsx'
import { useServedPage } from '../useServedPage.ts'
import { zone } from '../zone.ts'

/** The boxes that ask: how many are online, which are refused and why, of what types they are, and the unknown ones. */
export function Boxes() {
  const loaded = useCall(calls.boxes.overview, {}, { every: MINUTE_MS })
  const byModel = useCall(calls.boxes.models, {}, { every: MINUTE_MS })
  const unknown = useUnknownBoxes()
  const refused = useMemo(() => loaded.data && refusedOfClients(loaded.data.refused), [loaded.data])
  return (
    <>
      <PageHead title="Boxes" />
      <Counts data={loaded.data} loading={loaded.isPending} />
      <Stack>
        <Chart
          title="Online over the Day"
          across="Time"
          up="Boxes"
          loaded={loaded}
          draw={({ counts: { at, online } }) => ({
            times: at,
            zone: zone(),
            series: [{ name: 'Online', values: online }],
          })}
          empty="No boxes were counted yet"
        />
        <Card id="unknown" title="Unknown Boxes" flush>
          <DataTable
            label="Unknown Boxes"
            table={unknownBoxes}
            {...unknown}
            tools={<Quiet>asked within {UNKNOWN_BOX_DAYS} days</Quiet>}
          />
        </Card>
        <TableCard
          label="Refused in 24 Hours"
          name="refused"
          table={refusals}
          rows={refused}
          loaded={loaded}
        />
        <TableCard
          label="Types and Versions"
          name="models"
          table={models}
          rows={byModel.data?.data}
          loaded={byModel}
        />
      </Stack>
    </>
  )
}

/** Loads the page of unknown boxes that the URL asks for, each minute. */
function useUnknownBoxes() {
  const list = useListState('unknown', unknownBoxes)
  const { page, perPage: per_page, search, sort, order } = list
  // The call sorts by exactly the columns that the table lets people sort by.
  const query = { page, per_page, search, sort, order } as InputOf<typeof calls.boxes.unknown>
  return useServedPage(list, useCall(calls.boxes.unknown, query, { keep: true, every: MINUTE_MS }))
}

type Overview = OutputOf<typeof calls.boxes.overview>

function Counts({ data, loading }: { data: Overview | undefined; loading: boolean }) {
  const unknown = data?.refused.find(({ reason }) => reason === 'unknown')
  const refused = data && refusedOfClients(data.refused).reduce((sum, { boxes }) => sum + boxes, 0)
  return (
    <Tiles>
      <Tile
        label="Online now"
        value={data?.online}
        beside={data && data.known > 0 ? share(data.online, data.known) : undefined}
        to={to.allClients({ filter: 'online' })}
        icon={<Wifi aria-hidden size={18} />}
        loading={loading}
      />
      <Tile
        label="Known boxes"
        value={data?.known}
        to="#models"
        icon={<Monitor aria-hidden size={18} />}
        loading={loading}
      />
      <Tile
        label="Refused"
        value={refused}
        beside="in 24 hours"
        to="#refused"
        none={refused === 0}
        icon={<Ban aria-hidden size={18} />}
        loading={loading}
      />
      <Tile
        label="Unknown"
        value={data && countOfUnknown(unknown?.boxes ?? 0)}
        beside="in 24 hours"
        to="#unknown"
        none={unknown === undefined}
        icon={<CircleHelp aria-hidden size={18} />}
        loading={loading}
      />
    </Tiles>
  )
}
