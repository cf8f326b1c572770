import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { UserPlus } from 'lucide-react'
import { Link } from 'react-router'
import { to } from '../screens.ts'

/** The link to the form of a new client; on a phone only its icon. */
export function NewClientButton() {
  return (
    <Button
      variant="contained"
      component={Link}
      to={to.newClient()}
      aria-label="New Client"
      data-hint="New Client"
    >
      <UserPlus size={18} />
      <Words>New Client</Words>
    </Button>
  )
}

const Words = styled('span')(({ theme }) => ({
  marginLeft: 8,
  [theme.breakpoints.down('sm')]: { display: 'none' },
}))
