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
  superreseller: {
    ...namesOf('superreseller'),
    totalLabel: 'Total Clients',
    showsBeneath: true,
    hasStatistics: true,
    afterUpdate: 'stay',
  },
  reseller: plain('reseller'),
  dealer: plain('dealer'),
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

function plain(name: LevelName): Level {
  const names = namesOf(name)
  return {
    ...names,
    totalLabel: `Total ${names.plural}`,
    showsBeneath: false,
    hasStatistics: false,
    afterUpdate: 'list',
  }
}

function namesOf(name: LevelName) {
  const { title } = LEVELS[name]
  return { ...LEVELS[name], plural: `${title}s`, inSentence: title.toLowerCase() }
}
