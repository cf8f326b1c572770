import './clients.css'
import './marked.css'
import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { expiryState, MAC_PREFIX } from '../../contract/clients.ts'
import { packageLabel } from '../../contract/packages.ts'
import type { AnyClientRow, ClientRow } from '../../contract/shapes.ts'
import { useNow } from '../clock.ts'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { RowButton } from '../parts/table/RowButton.tsx'
import { type Column, type Table, table } from '../parts/table/table.ts'
import { AccountLink, actions, ClientLink, mac, text } from './columns.tsx'
import { Expiry, expiry } from './expiry.tsx'
import { phone } from './phone.ts'
import { RenewButton } from './RenewButton.tsx'
import { searchFault } from './served.ts'

/** The dealer's own clients. `renew` and `remove` handle the buttons of a row. */
export function ownClients(acts: {
  renew: (row: ClientRow) => void
  remove: (row: ClientRow) => void
}): Table<ClientRow> {
  return declare<ClientRow>(
    'clients',
    [
      {
        ...name,
        // With the mark of a box that is online.
        least: 139,
        cell: (row) => (
          <Marked row={row}>
            <ClientLink name={row.name} />
          </Marked>
        ),
      },
      {
        ...text('description', 'Description', { narrow: 'more' }),
        least: 84,
        spared: true,
        usually: 'shown',
      },
    ],
    actions({ width: 68, narrow: 'more' }, (row) => (
      <span className="row-buttons">
        <RenewButton name={row.name} onClick={() => acts.renew(row)} />
        <DeleteExpired row={row} onClick={() => acts.remove(row)} />
      </span>
    )),
  )
}

/** All clients, for the admin, who may delete any of them. */
export function allClients(acts: { remove: (row: AnyClientRow) => void }): Table<AnyClientRow> {
  return declare<AnyClientRow>(
    'all-clients',
    [
      {
        ...name,
        cell: (row) => (
          <Marked row={row}>
            <Ellipsis text={row.name} identifier />
          </Marked>
        ),
      },
      {
        key: 'dealer',
        header: 'Dealer',
        width: 128,
        least: 96,
        foldedWidth: 80,
        spared: true,
        narrow: 'more',
        usually: 'shown',
        cell: (row) => <AccountLink name={row.dealer} />,
      },
      {
        ...text('description', 'Description', { narrow: 'more' }),
        least: 64,
        spared: true,
        usually: 'shown',
      },
    ],
    actions({ width: 56, narrow: 'more' }, (row) => (
      <RowButton label={`Delete ${row.name}`} word="Delete" onClick={() => acts.remove(row)}>
        <Trash2 aria-hidden size={16} />
      </RowButton>
    )),
  )
}

function declare<Row extends ClientRow>(
  name: string,
  first: readonly Column<Row>[],
  last: Column<Row>,
): Table<Row> {
  return table<Row>({
    name,
    columns: [
      ...first,
      {
        ...mac<Row>({ narrow: 'aside' }),
        mono: false,
        foldedWidth: 72,
        usually: 'shown',
        cell: (row) =>
          row.mac === null ? <span className="narrow-only">{isMinistra}</span> : <ShortMac mac={row.mac} />,
      },
      {
        key: 'ministra',
        usually: 'shown',
        header: 'Ministra',
        width: 68,
        foldedInto: 'mac',
        narrow: 'more',
        text: (row) => (row.ministra ? 'Ministra' : ''),
        cell: (row) => row.ministra && isMinistra,
      },
      {
        ...expiry<Row>(),
        // At the least it shows the day, the mark of a client that is switched off, and the longest state.
        least: 187,
        usually: 'shown',
        cell: (row) => <Expiry inRows iso={row.expiry} inactive={row.status === false} />,
      },
      {
        key: 'status',
        header: 'Status',
        usually: 'shown',
        width: 66,
        foldedInto: 'expiry',
        narrow: 'more',
        // Without a connection it is not known.
        text: ({ status }) => ({ true: 'Active', false: 'Inactive' })[String(status)] ?? '',
        cell: ({ status }) =>
          status ? (
            <span className="quiet">Active</span>
          ) : (
            status === false && <Chip tone="plain">Inactive</Chip>
          ),
      },
      { ...phone<Row>(), narrow: 'more', usually: 'hidden' },
      {
        key: 'package',
        header: 'Package',
        width: 176,
        least: 96,
        narrow: 'more',
        usually: 'hidden',
        sort: false,
        text: (row) => packageLabel(row.package_selection) ?? '',
      },
      last,
    ],
    rowKey: (row) => row.name,
    firstSort: { by: 'name', order: 'asc' },
    pageSizes: [5, 10, 25, 50],
    empty: 'No clients found',
    search: 'Search clients',
    beyond: 'For the rest, search more closely or export.',
    searchFault,
    denseSwitch: true,
  })
}

/** At the least it shows a name of 15 letters. */
const name = { key: 'name', header: 'Name', width: 140, least: 128, narrow: 'title', mono: true } as const

const isMinistra = <Chip tone="special">Ministra</Chip>

/** Marks a client whose box is online by a dot behind its name. Without a connection it is not known. */
function Marked({ row: { online }, children }: { row: ClientRow; children: ReactNode }) {
  if (!online) return children
  return (
    <span className="marked">
      {children}
      <span className="online" role="img" aria-label="Online" data-hint="Online" />
    </span>
  )
}

/**
 * Shows only the last three groups on a phone and where there is no room: the first three are the same for all boxes. A
 * tap shows the rest.
 */
function ShortMac({ mac }: { mac: string }) {
  return (
    <span className="identifier" data-hint={mac}>
      <span className="wide-only">{MAC_PREFIX}</span>
      {mac.slice(MAC_PREFIX.length)}
    </span>
  )
}

/** A row is not rendered again when its client expires, so the button asks the clock itself. */
function DeleteExpired({ row: { name, expiry }, onClick }: { row: ClientRow; onClick: () => void }) {
  const isExpired = expiryState(expiry, useNow()) === 'expired'
  return (
    <RowButton
      label={`Delete ${name}`}
      word="Delete"
      blocked={isExpired ? undefined : 'Only an expired client can be deleted'}
      onClick={onClick}
    >
      <Trash2 aria-hidden size={16} />
    </RowButton>
  )
}
