import { randomInt } from 'node:crypto'

/**
 * The part of a box's token by which one sign-in is told from another: the millisecond in which it was made, by which
 * an ended token is told from a new one without keeping it, and 16 random bits. Who made it is told by the token's
 * signature.
 */
export function makeNonce(now: Date): string {
  return madeDigits(now) + hex(randomInt(1, 2 ** 16), OF_NO_TOKEN.length)
}

/** Returns when a nonce was made, in milliseconds since 1970; null where a version made it that did not say so. */
export function madeAt(nonce: string, now: Date): number | null {
  const made = Number.parseInt(nonce.slice(0, MADE_DIGITS), 16)
  return made <= latest(now).getTime() ? made : null
}

/**
 * Returns the latest moment that a clock which is right may have noted. What is later was noted by one that was ahead.
 */
export function latest(now: Date): Date {
  return new Date(now.getTime() + MOST_AHEAD_MS)
}

/** Returns a nonce that no token has. While a client has it, no token that was made before is valid. */
export function endedNonce(now: Date): string {
  return madeDigits(now) + OF_NO_TOKEN
}

export function isEndedNonce(nonce: string | null): boolean {
  return nonce?.endsWith(OF_NO_TOKEN) ?? false
}

function madeDigits(now: Date): string {
  return hex(now.getTime(), MADE_DIGITS)
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0').toUpperCase()
}

export const NONCE_DIGITS = 16
const MADE_DIGITS = 12
/** Stands in place of the random bits once the box is no longer signed in. */
const OF_NO_TOKEN = '0000'
/** By how much the clock of the server that made it may be ahead. */
const MOST_AHEAD_MS = 60_000
