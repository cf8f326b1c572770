import type { LevelName } from '../../contract/levels.ts'
import { levels } from '../levels.ts'
import { to } from '../screens.ts'

/** Returns where the first transaction begins for the owner of accounts of a level: with the first account, then with its credits. */
export function firstStep(level: LevelName, accounts: number | undefined): { label: string; to: string } {
  return accounts
    ? { label: 'Give credits', to: to.level[level].list() }
    : { label: `Add the first ${levels[level].title}`, to: to.level[level].add() }
}
