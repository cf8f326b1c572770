// Without an import: the thread that reads a playlist needs nothing else of the contract, and is started for each one.

/** The most bytes of a playlist. */
export const MOST_PLAYLIST = 64 * 1024 * 1024

/** The longest name of a group, and of a channel. */
export const LONGEST_NAME = 200

/** The most channels and groups that a playlist is read with. */
export const MOST_CHANNELS = 100_000
export const MOST_GROUPS = 2_000
