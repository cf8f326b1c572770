import { setTimeout as pause } from 'node:timers/promises'

/** How long boxes wait for a database that does not answer, before they are answered from memory, in milliseconds. */
const PATIENCE_MS = 2_000
/** The same where it is known to be away: enough for one that is back. */
const PATIENCE_AWAY_MS = 100

/**
 * Waits for a read that all boxes share, but not longer than that is worth: a database that swallows what it is sent
 * would hold up each of them. A read that has been under way for so long is waited for no more.
 * @param began when it began, by `performance.now`
 */
export async function waitFor(reading: Promise<void>, began: number, isAway: boolean): Promise<void> {
  const left = began + (isAway ? PATIENCE_AWAY_MS : PATIENCE_MS) - performance.now()
  if (left > 0) await Promise.race([reading, pause(left, undefined, { ref: false })])
}
