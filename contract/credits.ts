import * as z from 'zod/mini'
import { inDigits } from './quantities.ts'

export const MOST_CREDITS = 10_000

/** Returns the sentence that asks for a number of credits. */
export function creditsFrom(least: number): string {
  return `Credits must be a whole number from ${least} to ${inDigits(MOST_CREDITS)}`
}

/** A whole number of credits, 0 for a change of the description alone. */
export const CreditAmount = creditsOf(0)

/** A whole number of credits that one account asks of another, or passes to it. */
export const PassedCredits = creditsOf(1)

function creditsOf(least: number) {
  const range = creditsFrom(least)
  return z.int(range).check(z.minimum(least, range), z.maximum(MOST_CREDITS, range))
}

/** The sentence that refuses to add credits to an account that is suspended. */
export function noneWhileSuspended(name: string): string {
  return `${name} is suspended. Credits can be added once its suspension is lifted.`
}

/** The values of `transaction` in a save: credits are added to a child, or taken back from it. */
export const CREDIT_ACTION = { add: 0, remove: 1 } as const
