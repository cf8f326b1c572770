import './accounts.css'
import './marked.css'
import './second.css'
import { Ban } from 'lucide-react'
import type { LevelName } from '../../contract/levels.ts'
import { counted } from '../../contract/quantities.ts'
import type { TreeRow } from '../../contract/tree.ts'
import { levels } from '../levels.ts'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { number } from '../parts/number.ts'
import { type Column, type Table, table, textOf, widths } from '../parts/table/table.ts'
import { showMoment } from '../parts/time.ts'
import { zone } from '../zone.ts'
import { AccountLink, balance, count, moment } from './columns.tsx'

/** The accounts of each level in the tree; those that run out first come first. */
export const treeRows: Record<LevelName, Table<TreeRow>> = {
  superreseller: declare('superreseller'),
  reseller: declare('reseller'),
  dealer: declare('dealer'),
}

function declare(level: LevelName): Table<TreeRow> {
  const beneath: Column<TreeRow>[] = {
    superreseller: [more('resellers', 'Resellers', 54), more('dealers', 'Dealers', 50)],
    reseller: [more('dealers', 'Dealers', 50)],
    dealer: [],
  }[level]
  return table<TreeRow>({
    name: 'tree',
    columns: [
      {
        key: 'name',
        header: 'Name',
        // A name of 15 letters, so that accounts that begin alike are told apart, with a mark.
        least: 150,
        narrow: 'title',
        sort: ({ name }) => name.toLowerCase(),
        cell: (row) => <NameAndMore row={row} />,
      },
      balance({ narrow: 'aside' }),
      ...pace(level),
      { ...state(), foldedInto: 'name' },
      ...beneath,
      { ...count('clients', 'Clients'), least: 59 },
      more('active', 'Active', 59),
      more('expiring', 'Expiring', 50),
      more('expired', 'Expired', 50),
      lastLogin(),
      { ...moment('created', 'Created', 'date', { narrow: 'more' }), foldedInto: 'name' },
    ],
    rowKey: ({ name }) => name,
    firstSort: { by: 'lasts', order: 'asc' },
    pageSizes: [10, 25, 50],
    perPage: 25,
    empty: `No ${levels[level].plural.toLowerCase()} found`,
    search: 'Search',
  })
}

/**
 * Superresellers have the most columns: where these have no room, what was used stands beneath how long the rest lasts.
 */
function pace(level: LevelName): Column<TreeRow>[] {
  const [rest, spent] = [lasts<TreeRow>(), { ...used<TreeRow>(), least: 59 }]
  if (level !== 'superreseller') return [rest, spent]
  const cell = (row: TreeRow) => (
    <>
      <Ellipsis text={textOf(rest, row)} />
      <small className="folded-only second">{number(row.used)} in 30 days</small>
    </>
  )
  return [
    { ...rest, width: 110, cell },
    { ...spent, foldedInto: 'lasts' },
  ]
}

/** Where there is no room for the state and the day of creation, the name has a mark and the day beneath it. */
function NameAndMore({ row: { name, suspended, created } }: { row: TreeRow }) {
  return (
    <>
      <span className="marked">
        <AccountLink name={name} />
        {suspended && (
          <span className="folded-only">
            <SuspendedMark />
          </span>
        )}
      </span>
      <small className="folded-only second">since {showMoment(created, zone(), 'date')}</small>
    </>
  )
}

/** The mark of an account that is suspended, where the column of the state is left out. */
export function SuspendedMark() {
  return (
    <span className="suspended" role="img" aria-label="Suspended" data-hint="Suspended">
      <Ban aria-hidden size={16} />
    </span>
  )
}

/** A number that unfolds on a phone; `least` is the width of its header or of its largest number. */
function more(
  key: 'resellers' | 'dealers' | 'active' | 'expiring' | 'expired',
  header: string,
  least: number,
): Column<TreeRow> {
  return { ...count<TreeRow>(key, header, { narrow: 'more' }), least }
}

/** How long the balance lasts at the pace of the last 30 days, or of all days of a younger account. */
export function lasts<Row extends Pick<TreeRow, 'lasts'>>(): Column<Row> {
  return {
    key: 'lasts',
    header: 'Lasts',
    align: 'right',
    // 'about 365 days' is whole. Of years, nobody can say more.
    width: 106,
    text: ({ lasts }) =>
      lasts === null ? '' : lasts > 999 ? 'over 999 days' : `about ${counted(lasts, 'day')}`,
  }
}

/** The credits used in the last 30 days, less those taken back. */
export function used<Row extends Pick<TreeRow, 'used'>>(): Column<Row> {
  return { ...count<Row>('used', 'Used, 30 days'), hint: 'Less those taken back', width: 104 }
}

export function lastLogin<Row extends Pick<TreeRow, 'last_login'>>(): Column<Row> {
  return { ...moment<Row>('last_login', 'Last login', 'date', { narrow: 'more' }), least: 92 }
}

export function state<Row extends Pick<TreeRow, 'suspended' | 'closed'>>(): Column<Row> {
  return {
    key: 'suspended',
    header: 'State',
    width: widths.chip,
    text: stateOf,
    sort: stateOf,
    cell: (row) => stateOf(row) && <Chip tone="bad">{stateOf(row)}</Chip>,
  }
}

function stateOf({ suspended, closed }: Pick<TreeRow, 'suspended' | 'closed'>): string {
  if (closed) return 'Closed'
  return suspended ? 'Suspended' : ''
}
