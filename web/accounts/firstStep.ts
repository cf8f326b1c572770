import type { LevelName } from '../../contract/levels.ts'
import { levels } from '../levels.ts'
import { to } from '../screens.ts'

/**
 * Returns where the first transaction begins for the owner of accounts of a level: with the first account, then with
 * credits for it, which the owner has to have. `credits` is the owner's balance; null for the admin, who has no limit,
 * undefined while it is not known.
 */
export function firstStep(
  level: LevelName,
  accounts: number | undefined,
  credits: number | null | undefined,
): { label: string; to: string } {
  if (!accounts) return { label: `Add the first ${levels[level].title}`, to: to.level[level].add() }
  if (credits === 0) return { label: 'Ask for credits', to: to.creditRequests() }
  return { label: 'Give credits', to: to.level[level].list() }
}
