import Button from '@mui/material/Button'
import { SearchX } from 'lucide-react'
import { Link } from 'react-router'
import { EmptyState } from '../parts/ErrorState.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'

/** Shown at an address that no screen has. */
export function NotFound() {
  return (
    <>
      <title>Not found · Boxtree</title>
      <PageTitle>Not found</PageTitle>
      <EmptyState
        icon={<SearchX aria-hidden size={28} strokeWidth={1.5} />}
        text="There is no page at this address."
        action={
          <Button variant="outlined" component={Link} to="/">
            Go to the dashboard
          </Button>
        }
      />
    </>
  )
}
