import { type Limits, Turns } from '../turns.ts'

/**
 * The turns of the changes for which boxes ask: each client has its own, and so has each network from which boxes of
 * no client ask.
 */
export type BoxTurns = Turns<number | string>

/**
 * Opens the turns of what boxes ask to change one by one: logins, favourites, messages that they have shown, what they
 * are told, and sign-ins to clients that somebody is changing. All changes of a server share a few connections, on
 * which a stranger with many boxes, or one box that asks all the time, would otherwise make dealers wait. Whoever waits
 * too long is told to try later.
 */
export function openBoxTurns(): BoxTurns {
  return new Turns({ atOnce: 4, ...OF_ONE })
}

/**
 * Opens the turns of what is read for boxes that are nobody's: whether they may try a login. The calls of dealers read
 * over the same connections, and one stranger's boxes can ask faster than all of these read.
 */
export function openStrangerTurns(): Turns<string> {
  return new Turns({ atOnce: 2, ...OF_ONE })
}

const OF_ONE: Limits = { each: 1, maxWait: { ms: 5_000, message: 'Too many boxes ask at once.' } }
