import type { ReactNode } from 'react'
import { ErrorState } from './ErrorState.tsx'

interface LoadedProps {
  of: { data: unknown; error: { message: string } | null; refetch: () => unknown }
  children: ReactNode
}

/** Shows its children while data loads and once it is there; where it could not be loaded, why not. */
export function Loaded({ of: { data, error, refetch }, children }: LoadedProps) {
  if (error && data === undefined) return <ErrorState message={error.message} onRetry={refetch} />
  return children
}
