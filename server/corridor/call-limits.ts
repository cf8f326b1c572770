import { CONNECTIONS, MOST_CHANGES } from '../postgres/pool.ts'
import { Turns } from '../turns.ts'

export function openCallLimits(): { calls: Turns<number>; changes: Turns<number> } {
  return {
    calls: new Turns<number>({
      each: MOST_OF_ACCOUNT,
      eachBesideOthers: MOST_BESIDE_OTHERS,
      eachInsistent: { afterMs: 1_000, each: MOST_OF_INSISTENT },
      maxWait: {
        ms: 10_000,
        message: 'Too much is under way for your account. Please try again in a moment.',
      },
    }),
    changes: new Turns<number>({
      atOnce: MOST_CHANGES,
      each: MOST_CHANGES_OF_ACCOUNT,
      maxWait: {
        ms: 10_000,
        message: 'Too many changes are under way at the moment. Please try again in a moment.',
      },
    }),
  }
}

/** The most calls that run for one account, so that it never takes all connections. Exports are limited apart. */
const MOST_OF_ACCOUNT = CONNECTIONS - 2

/** The most calls of one account that begin while others have calls under way, so that none crowds out the others. */
const MOST_BESIDE_OTHERS = 3

/**
 * One at a time for an account that had calls waiting for a second without a pause: a program. A screen, which asks for
 * several things at once, waits less.
 */
const MOST_OF_INSISTENT = 1

/** Fewer, so that an account whose changes wait for each other leaves room for those of others. */
const MOST_CHANGES_OF_ACCOUNT = MOST_CHANGES - 2
