import { LogOut } from 'lucide-react'
import type { OwnSession, SignIn } from '../../contract/shapes.ts'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { RowButton } from '../parts/table/RowButton.tsx'
import { type Column, type Table, table } from '../parts/table/table.ts'
import { browserOf } from '../userAgent.ts'
import { actions, address, type ChipLook, chip, moment } from './columns.tsx'

export function sessions(acts: { end: (row: OwnSession) => void }): Table<OwnSession> {
  return table<OwnSession>({
    name: 'sessions',
    columns: [
      moment('since', 'Since', 'datetime', { narrow: 'title' }),
      address(),
      browser(),
      moment('expiry', 'Ends', 'datetime'),
      actions({ width: 104, narrow: 'aside' }, (row) =>
        row.this ? (
          <Chip tone="good">This one</Chip>
        ) : (
          <RowButton
            label={`End this session: ${browserOf(row.agent)} at ${row.address ?? 'an unknown address'}`}
            word="End"
            onClick={() => acts.end(row)}
          >
            <LogOut aria-hidden size={16} />
          </RowButton>
        ),
      ),
    ],
    rowKey: ({ id }) => String(id),
    firstSort: { by: 'since', order: 'desc' },
    pageSizes: [10, 25],
    empty: 'No sessions',
  })
}

/** The last sign-ins to the caller's account, and the tries that failed. */
export const signIns = table<SignIn>({
  name: 'sign-ins',
  columns: [
    moment('at', 'Date', 'datetime', { narrow: 'title' }),
    chip('outcome', 'Outcome', ({ outcome }) => OUTCOMES[outcome], { width: 128, narrow: 'aside' }),
    address(),
    browser(),
  ],
  rowKey: ({ id }) => String(id),
  firstSort: { by: 'at', order: 'desc' },
  pageSizes: [10, 25, 50, 100],
  empty: 'No sign-ins yet',
  notFound: 'No sign-in matches',
  search: 'Search',
})

const OUTCOMES: Record<SignIn['outcome'], ChipLook> = {
  succeeded: { label: 'Signed in', tone: 'good' },
  failed: { label: 'Wrong password', tone: 'bad' },
  suspended: { label: 'Suspended', tone: 'warn' },
}

function browser<Row extends { agent: string }>(): Column<Row> {
  return {
    key: 'agent',
    header: 'With',
    text: ({ agent }) => browserOf(agent),
    cell: ({ agent }) => <Ellipsis text={browserOf(agent)} />,
    sort: ({ agent }) => agent && browserOf(agent),
  }
}
