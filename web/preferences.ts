import { merged } from '../contract/merge.ts'
import type { Preferences } from '../contract/preferences.ts'
import { storeOf } from './parts/store.ts'

// How the person who is signed in likes to work.

/** A key in the local storage that tells the other tabs what was chosen in this one. It is removed at once. */
const KEY = 'preferences'

interface Kept {
  preferences: Preferences
  /** When the server told them, in milliseconds; null where it has not. */
  toldAt: number | null
}

const UNKNOWN: Kept = { preferences: {}, toldAt: null }
const kept = storeOf(UNKNOWN)

/** Returns the preferences, as far as they are known. */
export function usePreferences(): Preferences {
  return kept.use().preferences
}

/** Returns whether single keys do something. */
export function useShortcutsOn(): boolean {
  return hasShortcuts(kept.use())
}

/** Returns the same for what is drawn too often to follow the preferences. */
export function areShortcutsOn(): boolean {
  return hasShortcuts(kept.get())
}

function hasShortcuts({ preferences: { shortcuts = true } }: Kept): boolean {
  return shortcuts
}

/** Returns whether the server has told the preferences. Until then a stored one could be replaced unseen. */
export function useKnowsPreferences(): boolean {
  return kept.use().toldAt !== null
}

/** Follows preferences that the person has chosen, or that the server has saved, in the other tabs too. */
export function keepPreferences(changed: Preferences): void {
  follow(changed)
  const text = JSON.stringify(sharedOf(changed))
  if (text === '{}') return
  try {
    localStorage.setItem(KEY, text)
    localStorage.removeItem(KEY)
  } catch {
    // A storage that is full keeps the other tabs from hearing of it, and nothing else.
  }
}

/**
 * Takes on what the server tells. What was chosen before it did holds, and whoever signs in again without leaving the
 * page goes on with what is known: an open list must not jump, and some of it may not have been saved.
 */
export function learnPreferences(told: Preferences): void {
  const { preferences, toldAt } = kept.get()
  if (toldAt === null) kept.set({ preferences: merged(told, preferences), toldAt: Date.now() })
}

/**
 * Asks for them again, unless the server has told them a moment ago. What is chosen meanwhile goes before the answer.
 */
export async function learnPreferencesAgain(ask: () => Promise<Preferences>): Promise<void> {
  const before = kept.get()
  if (before.toldAt === null || Date.now() - before.toldAt < MOMENT_MS) return
  const told = await ask()
  if (kept.get() === before)
    kept.set({ preferences: { ...before.preferences, ...sharedOf(told) }, toldAt: Date.now() })
}

const MOMENT_MS = 5_000

/** Forgets them, as the next who signs in here may be somebody else. */
export function forgetPreferences(): void {
  kept.set(UNKNOWN)
}

/** Follows what is chosen in another tab. Called once. */
export function watchPreferences(): void {
  window.addEventListener('storage', ({ key, newValue }) => {
    // A tab in which nobody is signed in must not keep it for whoever signs in next.
    if (key === KEY && newValue !== null && kept.get().toldAt !== null) follow(JSON.parse(newValue))
  })
}

function follow(changed: Preferences) {
  const { preferences, toldAt } = kept.get()
  kept.set({ preferences: merged(preferences, changed), toldAt })
}

/**
 * Returns what all tabs and devices share at once. How tables are arranged is not of it: an open list must not jump.
 */
function sharedOf({ reminder, filters, shortcuts }: Preferences): Preferences {
  return { reminder, filters, shortcuts }
}
