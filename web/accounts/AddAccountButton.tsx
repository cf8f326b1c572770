import Button from '@mui/material/Button'
import { UserPlus } from 'lucide-react'
import { Link } from 'react-router'
import type { LevelName } from '../../contract/levels.ts'
import { levels } from '../levels.ts'
import { to } from '../screens.ts'

/** The link to the form of a new account. */
export function AddAccountButton({ level }: { level: LevelName }) {
  return (
    <Button
      variant="contained"
      startIcon={<UserPlus size={18} />}
      component={Link}
      to={to.level[level].add()}
    >
      Add {levels[level].title}
    </Button>
  )
}
