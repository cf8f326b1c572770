import { Turns } from '../turns.ts'

/** How long somebody who signs in waits for a turn. */
export const SIGN_IN_WAIT = {
  ms: 10_000,
  message: 'Too many people are signing in at the moment. Please try again in a moment.',
}

/** From where a stranger asks, see `OpenContext`. */
type Stranger = { network: string | null; gone: AbortSignal | null }

/**
 * What a login changes before its password is hashed. All changes of a server share a few connections, which one address with
 * many logins would otherwise fill while it waits for itself.
 */
const changing = new Turns<string>({ atOnce: 2, each: 1, maxWait: SIGN_IN_WAIT })

/** Solutions that a captcha's provider checks: each is a connection of its own, for a text of any length that nobody has checked. */
const asking = new Turns<string>({ atOnce: 20, each: 4, maxWait: SIGN_IN_WAIT })

/** @throws Refusal without a turn */
export function changeForStranger<T>({ network, gone }: Stranger, work: () => Promise<T>): Promise<T> {
  return changing.run(network ?? 'unknown', work, gone)
}

/** @throws Refusal without a turn */
export function askForStranger<T>({ network, gone }: Stranger, work: () => Promise<T>): Promise<T> {
  return asking.run(network ?? 'unknown', work, gone)
}
