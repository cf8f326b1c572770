import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { UserPlus } from 'lucide-react'
import { Link } from 'react-router'
import { to } from '../screens.ts'

/** The link to the form of a new client. Beside the title of a phone's page only its icon is shown. */
export function NewClientButton({ beside = false }: { beside?: boolean }) {
  return (
    <Button
      variant="contained"
      component={Link}
      to={to.newClient()}
      aria-label="New Client"
      data-hint={beside ? 'New Client' : undefined}
    >
      <UserPlus size={18} />
      <Label data-beside={beside}>New Client</Label>
    </Button>
  )
}

const Label = styled('span')(({ theme }) => ({
  marginLeft: 8,
  [theme.breakpoints.down('sm')]: { '&[data-beside=true]': { display: 'none' } },
}))
