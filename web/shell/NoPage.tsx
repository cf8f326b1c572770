import Button from '@mui/material/Button'
import { LockKeyhole, type LucideIcon, SearchX } from 'lucide-react'
import { Link } from 'react-router'
import { PageHead } from '../PageHead.tsx'
import { EmptyState } from '../parts/ErrorState.tsx'

/** Shown at an address that no screen has. */
export function NotFound() {
  return <NoPage title="Not found" icon={SearchX} text="There is no page at this address." />
}

/** Shown at a screen that the caller's role cannot use. */
export function WrongRole() {
  return <NoPage title="Not for your role" icon={LockKeyhole} text="Your account cannot use this page." />
}

function NoPage({ title, icon: Icon, text }: { title: string; icon: LucideIcon; text: string }) {
  return (
    <>
      <PageHead title={title} />
      <EmptyState
        icon={<Icon aria-hidden size={28} strokeWidth={1.5} />}
        text={text}
        action={
          <Button variant="outlined" component={Link} to="/">
            Go to the dashboard
          </Button>
        }
      />
    </>
  )
}
