import Button from '@mui/material/Button'
import { CalendarClock, CalendarPlus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { DUE_WITHIN, type DueWithin } from '../../contract/due.ts'
import type { DueClient } from '../../contract/shapes.ts'
import { useCall } from '../calls/useCall.ts'
import { ForecastCard } from '../clients/ForecastCard.tsx'
import { ReminderDialog } from '../clients/ReminderDialog.tsx'
import { RenewDialog } from '../clients/RenewDialog.tsx'
import { RenewDue, type ToRenew } from '../clients/RenewDue.tsx'
import { useChosenDue } from '../clients/useChosenDue.ts'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { number } from '../parts/number.ts'
import { PassingButton } from '../parts/PassingButton.tsx'
import { Stack } from '../parts/Stack.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import { Segments } from '../parts/table/Segments.tsx'
import { SelectionBar } from '../parts/table/SelectionBar.tsx'
import type { RowSelection } from '../parts/table/selection.ts'
import type { Table } from '../parts/table/table.ts'
import { type FilteredList, useListState } from '../parts/table/useListState.ts'
import { to } from '../screens.ts'
import { dueClients } from '../tables/due.tsx'
import { type ServedRows, useServedPage } from '../useServedPage.ts'

/** The clients that are to be renewed soon, or were not renewed: to be reminded and renewed, one, some or all. */
export function Due() {
  const [one, setOne] = useState<string | null>(null)
  const [many, setMany] = useState<ToRenew | null>(null)
  const [reminding, setReminding] = useState<DueClient | null>(null)
  const [table] = useState(() =>
    dueClients({
      renew: ({ name }) => setOne(name),
      remind: setReminding,
    }),
  )
  const list = useListState('', table, FILTERS)
  const within = list.filter
  const { search, page, perPage: per_page, order } = list
  const query = { within, search, page, per_page, order }
  const shown = useServedPage(list, useCall(calls.clients.dueClients, query, { keep: true }))
  const rows = shown.rows?.rows ?? []
  const counts = useCall(calls.clients.due, {}).data?.counts
  const { select, chosen, clear, drop } = useChosenDue(rows)
  const onRenewed = (names: readonly string[]) => {
    drop(names)
    // The dialog stays open where a part was not renewed, and then asks for the rest.
    setMany((now) => (now && 'chosen' in now ? { chosen: without(now.chosen, names) } : now))
  }
  const count = counts?.[within]
  const renewAll = count !== undefined && count > 0 && (
    <PassingButton
      variant="contained"
      startIcon={<CalendarPlus size={18} />}
      onClick={() => setMany({ within })}
    >
      Renew all {number(count)}
    </PassingButton>
  )
  return (
    <>
      <PageHead title="Due" action={renewAll} />
      <Stack>
        <DueList {...{ table, shown, counts, select }} />
        <ForecastCard />
      </Stack>
      <SelectionBar chosen={select.chosen} shown={rows.map(({ name }) => name)} onClear={clear}>
        <Button
          variant="contained"
          startIcon={<CalendarPlus size={18} />}
          onClick={() => setMany({ chosen: chosen() })}
        >
          Renew selected
        </Button>
      </SelectionBar>
      <RenewDialog
        open={one !== null}
        names={one === null ? null : [one]}
        onClose={() => setOne(null)}
        onDone={() => one !== null && drop([one])}
      />
      <RenewDue
        open={many !== null}
        asked={many}
        onClose={() => setMany(null)}
        onRenewed={onRenewed}
        onGone={drop}
      />
      <ReminderDialog
        // As it was loaded last, while the list shows it.
        client={reminding && (rows.find(({ name }) => name === reminding.name) ?? reminding)}
        onClose={() => setReminding(null)}
      />
    </>
  )
}

interface DueListProps {
  table: Table<DueClient>
  shown: ServedRows<DueClient, FilteredList<DueWithin>>
  /** How many are due within each of the filters; undefined while they load. */
  counts: Record<DueWithin, number> | undefined
  select: RowSelection<DueClient>
}

function DueList({ table, shown, counts, select }: DueListProps) {
  return (
    <Card flush>
      <DataTable
        label="Due"
        table={table}
        {...shown}
        select={select}
        tools={
          <Segments
            segments={DUE_WITHIN.map((value) => ({
              value,
              label: LABELS[value],
              count: counts && number(counts[value]),
            }))}
            value={shown.list.filter}
            onChange={shown.list.setFilter}
            digits={3}
            visible
          />
        }
        emptyIcon={<CalendarClock aria-hidden size={32} strokeWidth={1.25} />}
        emptyAction={
          <Button variant="outlined" component={Link} to={to.clients()}>
            See all clients
          </Button>
        }
      />
    </Card>
  )
}

/** The first is the one that is shown at first. */
const FILTERS: readonly DueWithin[] = ['week', 'today', 'tomorrow', 'month', 'lapsed']

const LABELS: Record<DueWithin, string> = {
  today: 'Today',
  tomorrow: 'Tomorrow',
  week: '7 days',
  month: '30 days',
  lapsed: 'Not renewed',
}

function without(clients: readonly DueClient[], names: readonly string[]): DueClient[] {
  const gone = new Set(names)
  return clients.filter(({ name }) => !gone.has(name))
}
