/** The most credits that one change may move. */
export const MOST_CREDITS = 10_000

/** The two directions of a change, as the wire spells them. */
export const CREDIT_ACTION = { add: 0, remove: 1 } as const
