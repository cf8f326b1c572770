import { useEffect } from 'react'
import { probe } from '../calls/api.ts'
import { connection } from '../calls/connection.ts'
import { ErrorState } from '../parts/ErrorState.tsx'

/**
 * Shown in place of a page that threw an error, or whose script could not be loaded. Once the connection is back it
 * loads by itself, in a new document, because some browsers never ask again for a script that they could not load.
 */
export function Broken() {
  const lost = connection.lost.use()
  useEffect(() => connection.lost.subscribe(() => connection.lost.get() || reload()), [])
  if (lost) return <ErrorState message="This page cannot be shown without a connection." onRetry={probe} />
  return <ErrorState message="This page could not be shown." onRetry={reload} />
}

/** Asks the server first: in place of a document that does not come, the browser shows an error of its own. */
async function reload(): Promise<void> {
  if (await probe()) window.location.reload()
}
