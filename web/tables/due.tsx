import './second.css'
import { BellRing } from 'lucide-react'
import { counted } from '../../contract/quantities.ts'
import type { DueClient } from '../../contract/shapes.ts'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { RowButton } from '../parts/table/RowButton.tsx'
import { type Column, type Table, table, textOf } from '../parts/table/table.ts'
import { actions, ClientLink, moment, text } from './columns.tsx'
import { expiry } from './expiry.tsx'
import { phone } from './phone.ts'
import { RenewButton } from './RenewButton.tsx'
import { searchFault } from './served.ts'

const phoneNumber = phone<DueClient>()
const until = expiry<DueClient>()
const lastTime: Column<DueClient> = {
  key: 'last_months',
  header: 'Last time',
  width: 72,
  align: 'right',
  narrow: 'more',
  sort: false,
  // Of a client that had only a trial there was no last time.
  text: (row) => (row.has_paid ? counted(row.last_months, 'month') : ''),
}
const reminded: Column<DueClient> = { ...moment<DueClient>('reminded', 'Reminded', 'date'), sort: false }

/** The clients that are due, in the order of their expiries. */
export function dueClients(acts: {
  renew: (row: DueClient) => void
  remind: (row: DueClient) => void
}): Table<DueClient> {
  return table<DueClient>({
    name: 'due',
    columns: [
      {
        key: 'name',
        header: 'Name',
        width: 128,
        narrow: 'title',
        mono: true,
        sort: false,
        cell: ({ name }) => <ClientLink name={name} />,
      },
      {
        ...text('description', 'Description', { narrow: 'more' }),
        least: 64,
        spared: true,
        sort: false,
      },
      {
        ...phoneNumber,
        cell: (row) => (
          <>
            <Ellipsis text={textOf(phoneNumber, row)} />
            {row.reminded !== null && (
              <small className="folded-only second">reminded {textOf(reminded, row)}</small>
            )}
          </>
        ),
      },
      {
        ...until,
        cell: (row) => (
          <>
            {until.cell?.(row)}
            {row.has_paid && <small className="folded-only second">last time {textOf(lastTime, row)}</small>}
          </>
        ),
      },
      { ...lastTime, foldedInto: 'expiry' },
      { ...reminded, foldedInto: 'phone' },
      actions({ width: 68, narrow: 'more' }, (row) => (
        <span className="row-buttons">
          <RenewButton name={row.name} onClick={() => acts.renew(row)} />
          <RowButton label={`Remind ${row.name}`} word="Remind" onClick={() => acts.remind(row)}>
            <BellRing aria-hidden size={16} />
          </RowButton>
        </span>
      )),
    ],
    rowKey: ({ name }) => name,
    firstSort: { by: 'expiry', order: 'asc' },
    pageSizes: [10, 25, 50],
    empty: 'Nobody is due',
    notFound: 'No client matches',
    search: 'Search clients',
    searchFault,
    denseSwitch: true,
  })
}
