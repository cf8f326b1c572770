import {
  DEFAULT_SETTINGS,
  readSettings,
  Settings,
  type SettingsToSave,
  type StoredSettings,
} from '../contract/appearance.ts'
import { differing } from './parts/differing.ts'
import { keepText } from './parts/keepText.ts'
import { storeOf } from './parts/store.ts'

// The appearance settings: as they were saved, and as they are shown. They survive signing out, so that the login page
// looks the same.

/** A key in the local storage. It stands first, because what is shown at first is read from it. */
const KEY = 'settings'

/** `shown` is `saved` itself where both look the same. */
const look = storeOf(lookOf(storedSettings()))

export function useSettings(): StoredSettings {
  return look.use().shown
}

/**
 * Returns the settings whose shown value differs from the saved one, as the server takes them; null where none does.
 * The others are not saved with them: another device may have saved them differently meanwhile.
 */
export function useUnsavedSettings(): SettingsToSave | null {
  const { saved, shown } = look.use()
  if (shown === saved) return null
  const { preset, ...changed } = differing(shown, saved)
  return { ...changed, ...(preset !== undefined && { preset: knownPreset(preset) }) }
}

/** Returns a preset that can be saved: one that is not known looks like the one of the start. */
function knownPreset(preset: string): Settings['preset'] {
  return Settings.shape.preset.options.find((known) => known === preset) ?? DEFAULT_SETTINGS.preset
}

/** Previews settings on this page. */
export function showSettings(next: StoredSettings): void {
  look.set(lookOf(look.get().saved, next))
}

/** Shows the saved settings again. */
export function discardSettings(): void {
  look.set(lookOf(look.get().saved))
}

/** Shows and stores the settings of whoever has signed in. The same person goes on with those that they try out. */
export function keepSettings(next: StoredSettings, isSamePerson = false): void {
  const { saved, shown } = look.get()
  store(next)
  look.set(lookOf(next, isSamePerson && shown !== saved ? shown : next))
}

/** Stores the settings that the server has saved. What was chosen meanwhile stays shown, and unsaved. */
export function settingsSaved(sent: SettingsToSave): void {
  const { saved, shown } = look.get()
  const next = readSettings({ ...saved, ...sent })
  store(next)
  look.set(lookOf(next, shown))
}

/** Follows the settings that another tab stores. Called once. */
export function watchSettings(): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) look.set(lookOf(storedSettings()))
  })
}

function store(settings: StoredSettings): void {
  keepText(KEY, JSON.stringify(settings))
}

/** Returns settings that are saved, with those that are shown. */
function lookOf(saved: StoredSettings, shown: StoredSettings = saved) {
  const isSame = Object.keys(differing(shown, saved)).length === 0
  return { saved, shown: isSame ? saved : shown }
}

function storedSettings(): StoredSettings {
  try {
    return readSettings(JSON.parse(localStorage.getItem(KEY) ?? ''))
  } catch {
    return readSettings(null)
  }
}
