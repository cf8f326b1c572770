import { useEffect } from 'react'
import { connection } from '../api.ts'
import { ErrorState } from '../parts/ErrorState.tsx'

/** Shown in place of a page that threw an error, or whose script could not be loaded. */
export function Broken() {
  useEffect(() => {
    connection.probe()
  }, [])
  return <ErrorState message="This page could not be shown." onRetry={() => window.location.reload()} />
}
