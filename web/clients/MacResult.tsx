import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Trash2 } from 'lucide-react'
import type { calls, OutputOf } from '../../contract/calls.ts'
import { Card } from '../parts/Card.tsx'
import { Expiry } from '../tables/expiry.tsx'

export type FoundMac = OutputOf<typeof calls.admin.searchMac>

/** The client that a MAC was found at: one row, and on a phone one column. */
export function MacResult({ client, onDelete }: { client: FoundMac; onDelete: () => void }) {
  return (
    <Card flush>
      <Sheet aria-label="Search result">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">MAC</th>
            <th scope="col">Expiry</th>
            <th scope="col">Dealer</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td data-label="Name" className="identifier">
              {client.name}
            </td>
            <td data-label="MAC" className="identifier">
              {client.mac}
            </td>
            <td data-label="Expiry">
              <Expiry iso={client.expiry} />
            </td>
            <td data-label="Dealer" className="identifier">
              {client.dealer}
            </td>
            <td>
              <Button color="error" variant="outlined" startIcon={<Trash2 size={16} />} onClick={onDelete}>
                Delete
              </Button>
            </td>
          </tr>
        </tbody>
      </Sheet>
    </Card>
  )
}

const Sheet = styled('table')(({ theme }) => ({
  width: '100%',
  borderCollapse: 'collapse',
  textAlign: 'left',
  '& th, & td': { padding: '8px 8px', overflowWrap: 'anywhere' },
  '& th': { fontSize: '0.75rem', fontWeight: 600, color: theme.palette.text.secondary },
  '& td button': { whiteSpace: 'nowrap' },
  '& tbody td': { borderTop: `1px solid ${theme.palette.divider}` },
  '& tr > :first-of-type': { paddingLeft: 24 },
  '& tr > :last-of-type': { paddingRight: 24, textAlign: 'right' },
  [theme.breakpoints.down('sm')]: {
    display: 'block',
    '& thead': { display: 'none' },
    '& tbody, & tbody tr': { display: 'block' },
    '& tbody tr': { padding: 16 },
    '& tbody tr > td, & tbody tr > td:first-of-type, & tbody tr > td:last-of-type': {
      display: 'flex',
      alignItems: 'center',
      justifyContent: 'space-between',
      gap: 16,
      minHeight: 32,
      padding: 0,
      border: 0,
    },
    '& tbody td[data-label]::before': {
      content: 'attr(data-label)',
      fontFamily: theme.typography.fontFamily,
      fontSize: '0.75rem',
      color: theme.palette.text.secondary,
    },
    '& tbody tr > td:last-of-type': { paddingTop: 12 },
    '& tbody td button': { flex: 1 },
  },
}))
