/**
 * The advisory locks of a database, each for one at a time; a number stands for one thing only. A login takes others,
 * 64 bits of a hash of its name and address, which meet none of these but by a chance that costs a moment's waiting.
 */
export const LOCKS = {
  /** Making the schema, and listing the tables for a backup. */
  schema: 0x6d696772,
  /** Making the database of a data folder; with 1 beside it, serving the folder: one console. */
  console: 0x626f7874,
  /** Writing down the days that have ended: one server. */
  statistics: 0x73746174,
  /** Removing what is of no more use: one server. */
  cleanUp: 0x636c6561,
} as const
