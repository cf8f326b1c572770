import Button from '@mui/material/Button'
import { UserPlus } from 'lucide-react'
import { Link } from 'react-router'
import type { Level } from '../levels.ts'
import { to } from '../screens.ts'

/** The button that leads to a new account of a level. */
export function AddAccountButton({ level: { role, title } }: { level: Level }) {
  return (
    <Button variant="contained" startIcon={<UserPlus size={18} />} component={Link} to={to.level[role].add()}>
      Add {title}
    </Button>
  )
}
