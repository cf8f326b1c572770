import './marked.css'
import './second.css'
import type { LevelName } from '../../contract/levels.ts'
import type { TreeRow } from '../../contract/tree.ts'
import { levels } from '../levels.ts'
import { type Column, type Table, table } from '../parts/table/table.ts'
import { showMoment } from '../parts/time.ts'
import { zone } from '../zone.ts'
import { lastLogin, lasts, pace, SuspendedMark, state, used } from './accountColumns.tsx'
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
      // Superresellers have the most columns.
      ...(level === 'superreseller'
        ? pace<TreeRow>('folded')
        : [lasts<TreeRow>(), { ...used<TreeRow>(), least: 59 }]),
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

/** A number that unfolds on a phone; `least` is the width of its header or of its largest number. */
function more(
  key: 'resellers' | 'dealers' | 'active' | 'expiring' | 'expired',
  header: string,
  least: number,
): Column<TreeRow> {
  return { ...count<TreeRow>(key, header, { narrow: 'more' }), least }
}
