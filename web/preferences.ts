import { merged } from '../contract/merge.ts'
import type { Preferences } from '../contract/preferences.ts'
import { storeOf } from './store.ts'

// How the person who is signed in likes to work.

const UNKNOWN = { preferences: {} as Preferences, known: false }
const kept = storeOf(UNKNOWN)

/** Returns the preferences, as far as they are known. */
export function usePreferences(): Preferences {
  return kept.use().preferences
}

/** Returns whether single keys do something: for what is drawn too often to follow the preferences. */
export function areShortcutsOn(): boolean {
  return kept.get().preferences.shortcuts ?? true
}

/** Returns whether the server has told the preferences. Until then a stored one could be replaced unseen. */
export function useKnowsPreferences(): boolean {
  return kept.use().known
}

/** Follows preferences that the person has chosen, or that the server has saved. */
export function keepPreferences(changed: Preferences): void {
  const { preferences, known } = kept.get()
  kept.set({ preferences: merged(preferences, changed), known })
}

/** Takes on what the server tells. What was chosen before it did holds. */
export function learnPreferences(told: Preferences): void {
  const { preferences, known } = kept.get()
  kept.set({ preferences: known ? told : merged(told, preferences), known: true })
}

/** Forgets them, as the next who signs in here may be somebody else. */
export function forgetPreferences(): void {
  kept.set(UNKNOWN)
}
