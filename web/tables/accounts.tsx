import './marked.css'
import { Link } from 'react-router'
import type * as z from 'zod/mini'
import type { LevelName } from '../../contract/levels.ts'
import type { AccountRow, SuperresellerRow } from '../../contract/shapes.ts'
import type { TreeRow } from '../../contract/tree.ts'
import { levels } from '../levels.ts'
import { type Column, type Table, table } from '../parts/table/table.ts'
import { to } from '../screens.ts'
import { lastLogin, pace, SuspendedMark, state } from './accountColumns.tsx'
import { balance, count, moment, text } from './columns.tsx'

/** An account in a list. Only superresellers have the totals beneath them. */
export type Listed = z.output<typeof AccountRow> & Partial<z.output<typeof SuperresellerRow>>

/** An account with what the tree says of it. */
export type Account = Listed & TreeRow

/** What the tree says of every account. Where there is no room for its state, the name is marked. */
const ofTree: readonly Column<Account>[] = [
  { ...state<Account>(), foldedInto: 'name', narrow: 'more' },
  ...pace<Account>('spared'),
  lastLogin(),
]

/** At the least a description of 13 letters is whole. */
const description: Column<Account> = { ...text<Account>('description', 'Description'), least: 96 }

export const accounts: Record<LevelName, Table<Account>> = {
  superreseller: declare('superreseller'),
  reseller: declare('reseller'),
  dealer: declare('dealer'),
}

function declare(level: LevelName): Table<Account> {
  const { showsBeneath, plural } = levels[level]
  return table<Account>({
    name: `${level}s`,
    columns: showsBeneath
      ? [
          name(level),
          balance({ narrow: 'aside' }),
          description,
          count('resellers', 'Resellers'),
          { ...count<Account>('dealers', 'Dealers'), least: 64 },
          { ...count<Account>('clients', 'Clients'), least: 60 },
          ...ofTree,
        ]
      : [
          moment('created', 'Created', 'datetime'),
          name(level),
          balance({ narrow: 'aside' }),
          description,
          count('clients', 'Clients', { narrow: 'more' }),
          ...ofTree,
        ],
    rowKey: ({ name }) => name,
    firstSort: showsBeneath ? { by: 'name', order: 'asc' } : { by: 'created', order: 'desc' },
    pageSizes: [10, 25, 50],
    empty: `No ${plural.toLowerCase()} found`,
    search: 'Search',
  })
}

function name(level: LevelName): Column<Account> {
  return {
    key: 'name',
    header: 'Name',
    // At the least it shows a name of 15 letters and a mark.
    width: 168,
    least: 150,
    mono: true,
    narrow: 'title',
    sort: (row) => row.name.toLowerCase(),
    cell: (row) => (
      <span className="marked">
        <Link to={to.level[level].update(row.name)} data-hint={row.name} data-hint-cut="">
          {row.name}
        </Link>
        {row.suspended && (
          <span className="narrow-only">
            <SuspendedMark />
          </span>
        )}
      </span>
    ),
  }
}
