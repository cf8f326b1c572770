import { openBatches } from '../../postgres/batches.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { BoxTurns } from '../box-turns.ts'
import { type SignIn, type SignInOutcome, signInAll } from './sign-in.ts'

/** The most sign-ins of one transaction, so that none holds the clients of others for long. */
const MOST_AT_ONCE = 200

/**
 * Returns a function that signs a box in, together with all that ask at the same time: after an outage a hundred
 * thousand boxes come at once, and a transaction for each would take most of the time. It returns null as `signInAll`
 * does.
 */
export function openSignInBatches(sql: Sql, turns: BoxTurns): (one: SignIn) => Promise<SignInOutcome | null> {
  return openBatches<SignIn, SignInOutcome | null>({
    async together(take) {
      const asked = take()
      const outcomes = await signInAll(sql, asked, 'leave out')
      return asked.map(({ id }) => outcomes.get(id))
    },
    keyOf: ({ id }) => id,
    // Its client was locked, so that it may have to wait.
    async alone(one) {
      const outcomes = await turns.run(one.id, () => signInAll(sql, [one], 'wait'))
      return outcomes.get(one.id) ?? null
    },
    most: MOST_AT_ONCE,
    atOnce: 1,
  })
}
