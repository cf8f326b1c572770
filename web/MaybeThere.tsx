import Button from '@mui/material/Button'
import type { UseQueryResult } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ApiError } from './api.ts'
import { Card } from './parts/Card.tsx'
import { EmptyState, ErrorState } from './parts/ErrorState.tsx'

interface MaybeThereProps {
  /** What was asked for by its name. */
  loaded: Pick<UseQueryResult<unknown, ApiError>, 'data' | 'error' | 'refetch'>
  /** The sentence where there is none of that name. */
  none: string
  /** The way to those that there are. */
  others: { path: string; label: string }
  /** The page of it, also while it loads. */
  children: ReactNode
}

/** The page of one thing that may not be there: of a name that nobody has, or that could not be loaded. */
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
