import type { Role } from './roles.ts'

/** The three kinds of account that hold credits; every account but the admin is on one of them. */
export const LEVEL_NAMES = ['superreseller', 'reseller', 'dealer'] as const
export type LevelName = (typeof LEVEL_NAMES)[number]

type Level = {
  /** The role that accounts of this level have, which is also their path segment: `POST {desk}/{role}`. */
  role: LevelName
  /** The role one above, which creates these accounts and passes credits to them. */
  owner: Role
  /** 'Super Reseller', as sentences spell it. */
  title: string
}

export const LEVELS: Record<LevelName, Level> = {
  superreseller: { role: 'superreseller', owner: 'admin', title: 'Super Reseller' },
  reseller: { role: 'reseller', owner: 'superreseller', title: 'Reseller' },
  dealer: { role: 'dealer', owner: 'reseller', title: 'Dealer' },
}
