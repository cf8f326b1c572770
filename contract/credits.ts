export const MOST_CREDITS = 10_000

/** The values of `transaction` in a save: credits are added to a child, or taken back from it. */
export const CREDIT_ACTION = { add: 0, remove: 1 } as const
