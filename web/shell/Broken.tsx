import { ErrorState } from '../parts/ErrorState.tsx'

/** Shown in place of a page that threw an error, or whose script could not be loaded. */
export function Broken() {
  return <ErrorState message="This page could not be shown." onRetry={() => window.location.reload()} />
}
