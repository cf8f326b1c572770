import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import type { UseQueryResult } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ApiError } from './calls/api.ts'
import { Card } from './parts/Card.tsx'
import { EmptyState, ErrorState, LastSeen, Outdated } from './parts/ErrorState.tsx'
import { useFault } from './parts/useFault.ts'

interface MaybeThereProps {
  loaded: Pick<UseQueryResult<unknown, ApiError>, 'data' | 'error' | 'refetch'>
  /** The sentence shown where nothing has that name. */
  none: string
  /** The link to the list of those that exist. */
  others: { path: string; label: string }
  /** The content of the page, shown while it loads as well. */
  children: ReactNode
}

/**
 * Shows the page of one thing, or says that nothing has this name or that it could not be loaded. A page that is there
 * stays, with what was typed, and says above it where it could not be loaded again.
 */
export function MaybeThere({ loaded: { data, error, refetch }, none, others, children }: MaybeThereProps) {
  const fault = useFault(error, data)
  const isGone = fault?.code === 'not_found'
  // To ask again cannot help then.
  const action = (
    <Button
      variant="outlined"
      size={data === undefined ? 'medium' : 'small'}
      component={Link}
      to={others.path}
    >
      {others.label}
    </Button>
  )
  if (!fault || data !== undefined) {
    return (
      <>
        {fault && (
          <Above>
            {isGone ? (
              <LastSeen message={`Error: ${none}.`} action={action} />
            ) : (
              <Outdated message={fault.message} onRetry={refetch} />
            )}
          </Above>
        )}
        {children}
      </>
    )
  }
  return (
    <Card>
      {isGone ? (
        <EmptyState icon={<SearchX aria-hidden size={32} strokeWidth={1.25} />} text={none} action={action} />
      ) : (
        <ErrorState message={fault.message} onRetry={refetch} />
      )}
    </Card>
  )
}

const Above = styled('div')(({ theme }) => ({
  marginBottom: 24,
  overflow: 'clip',
  borderRadius: 12,
  border: `1px solid ${theme.palette.divider}`,
  background: theme.palette.background.paper,
}))
