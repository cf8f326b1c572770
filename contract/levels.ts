import type { Role } from './roles.ts'

/** The levels of the tree below the admin. An account's level is its role. */
export const LEVEL_NAMES = ['superreseller', 'reseller', 'dealer'] as const
export type LevelName = (typeof LEVEL_NAMES)[number]

type Level = {
  /** Also the path segment of its accounts: `POST {desk}/{role}`. */
  role: LevelName
  /** The role one above, which creates these accounts and passes credits to them. */
  owner: Role
  title: string
}

export const LEVELS: Record<LevelName, Level> = {
  superreseller: { role: 'superreseller', owner: 'admin', title: 'Super Reseller' },
  reseller: { role: 'reseller', owner: 'superreseller', title: 'Reseller' },
  dealer: { role: 'dealer', owner: 'reseller', title: 'Dealer' },
}
