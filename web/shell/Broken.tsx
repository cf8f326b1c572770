import { useEffect } from 'react'
import { connection } from '../api.ts'
import { ErrorState } from '../parts/ErrorState.tsx'

/** A page that broke, or whose script did not come: after an update of the console, or because nobody answers. */
export function Broken() {
  useEffect(() => {
    connection.probe()
  }, [])
  return <ErrorState message="This page could not be shown." onRetry={() => window.location.reload()} />
}
