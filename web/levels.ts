import { LEVELS, type LevelName } from '../contract/levels.ts'
import type { Role } from '../contract/roles.ts'

/** What the console shows of a level. */
export type Level = (typeof LEVELS)[LevelName] & {
  plural: string
  /** The level's name within a sentence. */
  inSentence: string
  /** The label of the total above the list. */
  totalLabel: string
  /** Whether the list shows the totals beneath each account instead of its date of creation. */
  showsBeneath: boolean
  /** Whether the update screen shows the daily statistics and their chart. */
  hasStatistics: boolean
  /** Whether the screen stays or returns to the list after a transfer. */
  afterUpdate: 'stay' | 'list'
}

export const levels: Record<LevelName, Level> = {
  superreseller: levelOf('superreseller'),
  reseller: levelOf('reseller'),
  dealer: levelOf('dealer'),
}

/** Returns what a role is called in headings. */
export function titleOf(role: Role): string {
  return role === 'admin' ? 'Admin' : LEVELS[role].title
}

/** Returns the level one beneath a role; undefined for a dealer, who has only clients. */
export function levelBeneath(role: Role): Level | undefined {
  return Object.values(levels).find(({ owner }) => owner === role)
}

/** Whether somebody of a role may manage an account beneath: the admin any, everybody else those one level below. */
export function manages(role: Role, account: { role: LevelName }): boolean {
  return role === 'admin' || LEVELS[account.role].owner === role
}

function levelOf(name: LevelName): Level {
  const { title } = LEVELS[name]
  const isTop = name === 'superreseller'
  return {
    ...LEVELS[name],
    plural: `${title}s`,
    inSentence: title.toLowerCase(),
    totalLabel: isTop ? 'Total Clients' : `Total ${title}s`,
    showsBeneath: isTop,
    hasStatistics: isTop,
    afterUpdate: isTop ? 'stay' : 'list',
  }
}
