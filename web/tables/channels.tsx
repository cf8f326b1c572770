import { Eye, EyeOff, ListChecks } from 'lucide-react'
import type { Group } from '../../contract/channels.ts'
import { leavesOutAdults, PACKAGES } from '../../contract/packages.ts'
import { Chip } from '../parts/Chip.tsx'
import { RowButton } from '../parts/table/RowButton.tsx'
import { type Table, table, widths } from '../parts/table/table.ts'
import { actions, count, text } from './columns.tsx'

/** The groups of the playlist in use. */
export function groupsTable(acts: {
  choose: (group: Group) => void
  mark: (group: Group, adult: boolean) => void
}): Table<Group> {
  return table<Group>({
    name: 'groups',
    columns: [
      text('name', 'Group', { narrow: 'title' }),
      count('channels', 'Channels', { narrow: 'aside' }),
      { ...count<Group>('unprotected', 'Not protected'), width: 104 },
      {
        key: 'packages',
        header: 'Packages',
        narrow: 'more',
        text: holders,
        sort: (group) => holding(group).length,
      },
      {
        key: 'adult',
        header: 'For adults',
        width: widths.chip,
        text: ({ adult }) => (adult ? 'Adults' : ''),
        cell: ({ adult }) => (adult ? <Chip tone="special">Adults</Chip> : null),
      },
      actions({ width: 68, narrow: 'more' }, (group) => (
        <span className="row-buttons">
          <RowButton
            label={`Choose packages of ${group.name}`}
            word="Packages"
            onClick={() => acts.choose(group)}
          >
            <ListChecks aria-hidden size={16} />
          </RowButton>
          <Mark group={group} onMark={acts.mark} />
        </span>
      )),
    ],
    rowKey: ({ id }) => String(id),
    firstSort: { by: 'name', order: 'asc' },
    pageSizes: [10, 25, 50, 100],
    empty: 'No groups: there is no playlist in use',
    notFound: 'No group matches',
    search: 'Search',
  })
}

/** Marks a group as for adults, or as for everybody. */
function Mark({ group, onMark }: { group: Group; onMark: (group: Group, adult: boolean) => void }) {
  return group.adult ? (
    <RowButton
      label={`${group.name} is for everybody`}
      word="For everybody"
      onClick={() => onMark(group, false)}
    >
      <Eye aria-hidden size={16} />
    </RowButton>
  ) : (
    <RowButton label={`${group.name} is for adults`} word="For adults" onClick={() => onMark(group, true)}>
      <EyeOff aria-hidden size={16} />
    </RowButton>
  )
}

/** Returns how many packages give boxes this group, and their names, in the order of the admin's list. */
function holders(group: Group): string {
  const held = holding(group)
  const names = PACKAGES.filter(({ value }) => held.includes(value)).map(({ label }) => label)
  return names.length === 0 ? 'None' : `${names.length}: ${names.join(', ')}`
}

/** Returns the packages that give boxes this group: a group for adults is in none that leaves these out. */
function holding({ packages, adult }: Group): number[] {
  return packages.filter((value) => !(adult && leavesOutAdults(value)))
}

type PackageRow = { value: number; label: string; groups: number; channels: number }

/** Returns every package with what its boxes are given. */
export function packageRows(groups: readonly Group[]): PackageRow[] {
  return PACKAGES.map(({ value, label }) => {
    const held = groups.filter((group) => holding(group).includes(value))
    const channels = held.reduce((sum, group) => sum + group.channels, 0)
    return { value, label, groups: held.length, channels }
  })
}

export function packagesTable(acts: { choose: (row: PackageRow) => void }): Table<PackageRow> {
  return table<PackageRow>({
    name: 'packages',
    columns: [
      text('label', 'Package', { narrow: 'title' }),
      count('groups', 'Groups'),
      count('channels', 'Channels', { narrow: 'aside' }),
      actions({ width: 56 }, (row) => (
        <RowButton
          label={`Choose groups of ${row.label}`}
          word="Choose groups"
          onClick={() => acts.choose(row)}
        >
          <ListChecks aria-hidden size={16} />
        </RowButton>
      )),
    ],
    rowKey: ({ value }) => String(value),
    firstSort: { by: 'label', order: 'asc' },
    pageSizes: [10, 25, 50],
    empty: 'No package matches',
    search: 'Search',
  })
}
