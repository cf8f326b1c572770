import { ErrorState } from '../parts/ErrorState.tsx'

/** A page that broke, or whose script did not come, as after an update of the console. */
export function Broken() {
  return <ErrorState message="This page could not be shown." onRetry={() => window.location.reload()} />
}
