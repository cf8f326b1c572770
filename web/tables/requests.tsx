import { Check, X } from 'lucide-react'
import type { ChildRequest, OwnRequest } from '../../contract/requests.ts'
import { Chip } from '../parts/Chip.tsx'
import { number } from '../parts/number.ts'
import { RowButton } from '../parts/table/RowButton.tsx'
import { type Table, table, widths } from '../parts/table/table.ts'
import { SuspendedMark } from './accountColumns.tsx'
import { balanceTone } from './balance.ts'
import { AccountLink, actions, type ChipLook, chip, count, moment, text } from './columns.tsx'

/** The open requests from below. */
export function childRequests(acts: {
  grant: (row: ChildRequest) => void
  decline: (row: ChildRequest) => void
}): Table<ChildRequest> {
  return table<ChildRequest>({
    name: 'requests',
    columns: [
      moment('created', 'Date', 'datetime'),
      {
        key: 'name',
        header: 'Name',
        // At the least it shows a name of 15 letters and a mark.
        width: 158,
        least: 134,
        narrow: 'title',
        cell: ({ name, suspended }) => (
          <span className="marked">
            <AccountLink name={name} />
            {suspended && <SuspendedMark />}
          </span>
        ),
      },
      count('credits', 'Credits', { narrow: 'aside' }),
      {
        ...count<ChildRequest>('balance', 'Balance'),
        cell: ({ balance }) => <Chip tone={balanceTone(balance)}>{number(balance)}</Chip>,
      },
      text('note', 'Note'),
      actions({ width: 88 }, (row) => (
        <span className="row-buttons">
          {!row.suspended && (
            <RowButton label={`Grant ${row.name}`} word="Grant" onClick={() => acts.grant(row)}>
              <Check aria-hidden size={16} />
            </RowButton>
          )}
          <RowButton label={`Decline ${row.name}`} word="Decline" onClick={() => acts.decline(row)}>
            <X aria-hidden size={16} />
          </RowButton>
        </span>
      )),
    ],
    rowKey: ({ id }) => String(id),
    firstSort: { by: 'created', order: 'asc' },
    pageSizes: [10, 25, 50],
    empty: 'No open requests',
    notFound: 'No request matches',
    search: 'Search',
  })
}

// Where there is no room for the day on which a request ended, it stands beneath its own date.
const created = moment<OwnRequest>('created', 'Date', 'datetime', { narrow: 'title' })
const ended = moment<OwnRequest>('answered', 'Ended', 'date')

/** The newest requests of one's own. */
export const ownRequests = table<OwnRequest>({
  name: 'own-requests',
  columns: [
    {
      ...created,
      cell: (row) => (
        <>
          {created.cell?.(row)}
          {row.answered !== null && <small className="folded-only second">ended {ended.text?.(row)}</small>}
        </>
      ),
    },
    count('credits', 'Credits', { narrow: 'aside' }),
    chip('state', 'State', ({ state }) => STATES[state]),
    {
      key: 'granted',
      header: 'Granted',
      width: widths.number,
      align: 'right',
      cell: ({ granted }) => (granted === null ? '' : number(granted)),
    },
    { ...ended, foldedInto: 'created' },
    text('note', 'Note'),
    text('answer', 'Answer'),
  ],
  rowKey: ({ id }) => String(id),
  firstSort: { by: 'created', order: 'desc' },
  pageSizes: [10],
  empty: 'No requests yet',
})

const STATES: Record<OwnRequest['state'], ChipLook> = {
  open: { label: 'Open', tone: 'special' },
  granted: { label: 'Granted', tone: 'good' },
  declined: { label: 'Declined', tone: 'bad' },
  withdrawn: { label: 'Withdrawn', tone: 'plain' },
}
