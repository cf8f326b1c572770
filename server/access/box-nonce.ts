import { randomBytes } from 'node:crypto'
import type { Fragment, Sql } from '../postgres/pool.ts'

/**
 * The part of a box's token by which one sign-in is told from another: the millisecond in which it was made, by which an
 * ended token is told from a new one without keeping it, and 16 random bits. Who made it is told by the token's signature.
 */
export function makeNonce(now: Date): string {
  const made = now.getTime().toString(16).padStart(MADE_DIGITS, '0')
  return (made + randomBytes(2).toString('hex')).toUpperCase()
}

/** Returns when a nonce was made, in milliseconds since 1970; null where a version made it that did not say so. */
export function madeAt(nonce: string, now: Date): number | null {
  const made = Number.parseInt(nonce.slice(0, MADE_DIGITS), 16)
  return made <= now.getTime() + MOST_AHEAD_MS ? made : null
}

/** Ends all tokens of the rows of `device` that `which` finds, and sets what else changes of these. */
export async function endTokens(
  sql: Sql,
  which: Fragment,
  now: Date,
  also: { mac?: null } = {},
): Promise<void> {
  // No token has this nonce, so every token made before it is no longer valid.
  await sql`update device set ${sql({ ...also, token_nonce: makeNonce(now) })} where ${which}`
}

export const NONCE_DIGITS = 16
const MADE_DIGITS = 12
/** By how much the clock of the server that made it may be ahead. */
const MOST_AHEAD_MS = 60_000
