import Button from '@mui/material/Button'
import { Trash2 } from 'lucide-react'
import type { calls, OutputOf } from '../../contract/calls.ts'
import type { PlainTable } from '../parts/table/table.ts'
import { to } from '../screens.ts'
import { AccountLink, actions, CellLink, mac } from './columns.tsx'
import { expiry } from './expiry.tsx'

export type FoundMac = OutputOf<typeof calls.admin.searchMac>

/** The client that was found by its MAC. */
export function foundMacs(acts: { remove: (row: FoundMac) => void }): PlainTable<FoundMac> {
  return {
    columns: [
      {
        key: 'name',
        header: 'Name',
        width: 128,
        least: 96,
        narrow: 'title',
        cell: ({ name }) => (
          <CellLink
            to={to.allClients({ search: name })}
            className="ellipsis identifier"
            data-hint={name}
            data-hint-cut=""
          >
            {name}
          </CellLink>
        ),
      },
      mac<FoundMac>(),
      expiry<FoundMac>(),
      {
        key: 'dealer',
        header: 'Dealer',
        width: 160,
        least: 80,
        cell: ({ dealer }) => <AccountLink name={dealer} />,
      },
      actions({ width: 96 }, (row) => (
        <Button
          color="error"
          size="small"
          sx={{ marginLeft: -1 }}
          startIcon={<Trash2 aria-hidden size={16} />}
          onClick={() => acts.remove(row)}
        >
          Delete
        </Button>
      )),
    ],
    rowKey: ({ mac }) => mac,
    empty: 'No client has this MAC',
  }
}
