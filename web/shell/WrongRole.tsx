import Button from '@mui/material/Button'
import { LockKeyhole } from 'lucide-react'
import { Link } from 'react-router'
import { EmptyState } from '../parts/ErrorState.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'

/** Shown at a screen that the caller's role cannot use. */
export function WrongRole() {
  return (
    <>
      <title>Not for your role · Boxtree</title>
      <PageTitle>Not for your role</PageTitle>
      <EmptyState
        icon={<LockKeyhole aria-hidden size={28} strokeWidth={1.5} />}
        text="Your account cannot use this page."
        action={
          <Button variant="outlined" component={Link} to="/">
            Go to the dashboard
          </Button>
        }
      />
    </>
  )
}
