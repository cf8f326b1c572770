import type { LevelName } from '../../contract/levels.ts'
import { counted } from '../../contract/quantities.ts'
import type { TreeRow } from '../../contract/tree.ts'
import { levels } from '../levels.ts'
import { Chip } from '../parts/Chip.tsx'
import { type Column, type Table, table, widths } from '../parts/table/table.ts'
import { AccountLink, balance, count, moment } from './columns.tsx'

/** The accounts of each level in the tree; those that run out first come first. */
export const treeRows: Record<LevelName, Table<TreeRow>> = {
  superreseller: declare('superreseller'),
  reseller: declare('reseller'),
  dealer: declare('dealer'),
}

function declare(level: LevelName): Table<TreeRow> {
  const beneath: Column<TreeRow>[] = {
    superreseller: [more('resellers', 'Resellers'), more('dealers', 'Dealers')],
    reseller: [more('dealers', 'Dealers')],
    dealer: [],
  }[level]
  return table<TreeRow>({
    name: 'tree',
    columns: [
      {
        key: 'name',
        header: 'Name',
        // A name of 15 letters, so that accounts that begin alike are told apart.
        least: 140,
        narrow: 'title',
        sort: ({ name }) => name.toLowerCase(),
        cell: ({ name }) => <AccountLink name={name} />,
      },
      balance({ narrow: 'aside' }),
      lasts(),
      used(),
      state(),
      ...beneath,
      count('clients', 'Clients'),
      more('active', 'Active'),
      more('expiring', 'Expiring'),
      more('expired', 'Expired'),
      lastLogin(),
      moment('created', 'Created', 'date', { narrow: 'more' }),
    ],
    rowKey: ({ name }) => name,
    firstSort: { by: 'lasts', order: 'asc' },
    pageSizes: [10, 25, 50],
    perPage: 25,
    empty: `No ${levels[level].plural.toLowerCase()} found`,
    search: 'Search',
  })
}

function more(key: 'resellers' | 'dealers' | 'active' | 'expiring' | 'expired', header: string) {
  return count<TreeRow>(key, header, { narrow: 'more' })
}

/** How long the balance lasts at the pace of the last 30 days. */
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

/** The credits used in the last 30 days. */
export function used<Row extends Pick<TreeRow, 'used'>>(): Column<Row> {
  return { ...count<Row>('used', 'Used, 30 days'), width: 104 }
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
    cell: (row) => stateOf(row) && <Chip tone="bad">{stateOf(row)}</Chip>,
  }
}

function stateOf({ suspended, closed }: Pick<TreeRow, 'suspended' | 'closed'>): string {
  if (closed) return 'Closed'
  return suspended ? 'Suspended' : ''
}
