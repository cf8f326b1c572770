import Button from '@mui/material/Button'
import type { UseQueryResult } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ApiError } from './api.ts'
import { Card } from './parts/Card.tsx'
import { EmptyState, ErrorState } from './parts/ErrorState.tsx'

interface MaybeThereProps {
  loaded: Pick<UseQueryResult<unknown, ApiError>, 'data' | 'error' | 'refetch'>
  /** The sentence shown where nothing has that name. */
  none: string
  /** The link to the list of those that exist. */
  others: { path: string; label: string }
  /** The content of the page, shown while it loads as well. */
  children: ReactNode
}

/** Shows the page of one thing, or says that nothing has this name or that it could not be loaded. */
export function MaybeThere({ loaded: { data, error, refetch }, none, others, children }: MaybeThereProps) {
  if (!error || data !== undefined) return children
  return (
    <Card>
      {error.code === 'not_found' ? (
        <EmptyState
          icon={<SearchX aria-hidden size={32} strokeWidth={1.25} />}
          text={none}
          action={
            <Button variant="outlined" component={Link} to={others.path}>
              {others.label}
            </Button>
          }
        />
      ) : (
        <ErrorState message={error.message} onRetry={refetch} />
      )}
    </Card>
  )
}
