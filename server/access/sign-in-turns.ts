import { type Limits, Turns } from '../turns.ts'

/** How long somebody who signs in waits for a turn. */
export const SIGN_IN_WAIT = {
  ms: 10_000,
  message: 'Too many people are signing in at the moment. Please try again in a moment.',
}

/** From where a stranger asks, see `OpenContext`. */
type Stranger = { network: string | null; gone: AbortSignal | null }

/**
 * Returns what gives turns to those who sign in, one network after the other, because nothing else is known of them.
 * It throws a Refusal where there is none in time.
 */
export function openSignInTurns(limits: Omit<Limits, 'maxWait'>) {
  const turns = new Turns<string>({ ...limits, maxWait: SIGN_IN_WAIT })
  return <T>({ network, gone }: Stranger, work: () => Promise<T>): Promise<T> =>
    turns.run(network ?? 'unknown', work, gone)
}

/**
 * What a login changes before its password is hashed. All changes of a server share a few connections, which one
 * address with many logins would otherwise fill while it waits for itself.
 */
export const changeForStranger = openSignInTurns({ atOnce: 2, each: 1 })
