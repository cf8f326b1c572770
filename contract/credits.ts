export const MOST_CREDITS = 10_000

/** Returns the sentence that asks for a number of credits. */
export function creditsFrom(least: number): string {
  return `Credits must be a whole number from ${least} to ${MOST_CREDITS.toLocaleString('en-US')}`
}

/** The values of `transaction` in a save: credits are added to a child, or taken back from it. */
export const CREDIT_ACTION = { add: 0, remove: 1 } as const
