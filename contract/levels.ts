import type { Role } from './roles.ts'

/** The three kinds of account that hold credits; every account but the admin is on one of them. */
export const LEVEL_NAMES = ['superreseller', 'reseller', 'dealer'] as const
export type LevelName = (typeof LEVEL_NAMES)[number]

/** All that differs between the levels: the screens, calls, headings and messages derive from it. */
export type Level = {
  /** The role that accounts of this level have, which is also their path segment: `POST {desk}/{role}`. */
  role: LevelName
  /** The role one above, which creates these accounts and passes credits to them. */
  owner: Role
  /** 'Super Reseller', as the buttons and notices spell it. */
  title: string
  plural: string
  /** The noun within the error sentences of an update. */
  inSentence: string
  paths: { list: string; add: string; update: string }
  /** What the total above the list counts, and what it is called. */
  total: { label: string; field: 'totalClients' | 'count' }
  /** Whether the list shows what stands beneath each account, rather than when it was created. */
  showsBeneath: boolean
  /** Whether the update screen carries the daily statistics and their chart. */
  hasStatistics: boolean
  /** Where a successful change of credits leads. */
  afterUpdate: 'stay' | 'list'
}

export const LEVELS: Record<LevelName, Level> = {
  superreseller: {
    role: 'superreseller',
    owner: 'admin',
    title: 'Super Reseller',
    plural: 'Super Resellers',
    inSentence: 'super reseller',
    paths: { list: '/super-resellers', add: '/add-super-reseller', update: '/update-super-reseller' },
    total: { label: 'Total Clients', field: 'totalClients' },
    showsBeneath: true,
    hasStatistics: true,
    afterUpdate: 'stay',
  },
  reseller: {
    role: 'reseller',
    owner: 'superreseller',
    title: 'Reseller',
    plural: 'Resellers',
    inSentence: 'reseller',
    paths: { list: '/resellers', add: '/add-reseller', update: '/update-reseller' },
    total: { label: 'Total Resellers', field: 'count' },
    showsBeneath: false,
    hasStatistics: false,
    afterUpdate: 'list',
  },
  dealer: {
    role: 'dealer',
    owner: 'reseller',
    title: 'Dealer',
    plural: 'Dealers',
    inSentence: 'dealer',
    paths: { list: '/dealers', add: '/add-dealer', update: '/update-dealer' },
    total: { label: 'Total Dealers', field: 'count' },
    showsBeneath: false,
    hasStatistics: false,
    afterUpdate: 'list',
  },
}
