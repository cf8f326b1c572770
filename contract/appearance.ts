import * as z from 'zod/mini'

export const Settings = z.strictObject({
  mode: z.enum(['light', 'dark']),
  layout: z.enum(['left', 'right']),
  preset: z.enum(['green', 'purple', 'aqua', 'blue', 'orange', 'red']),
})
export type Settings = z.output<typeof Settings>

/** The settings to save: what is left out stays as it is. */
export const SettingsToSave = z.partial(Settings)
export type SettingsToSave = z.output<typeof SettingsToSave>

export const DEFAULT_SETTINGS: Settings = { mode: 'light', layout: 'left', preset: 'blue' }

/** Settings as they were stored. Another version may have stored them, which knew other presets. */
export const StoredSettings = z.strictObject({ ...Settings.shape, preset: z.string() })
export type StoredSettings = z.output<typeof StoredSettings>

/**
 * Reads stored settings; what is missing or not understood gets its default. An unknown preset is kept, and has a
 * colour of its own.
 */
export function readSettings(stored: unknown): StoredSettings {
  const given = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>
  return {
    mode: z.catch(Settings.shape.mode, DEFAULT_SETTINGS.mode).parse(given.mode),
    layout: z.catch(Settings.shape.layout, DEFAULT_SETTINGS.layout).parse(given.layout),
    preset: z.catch(StoredSettings.shape.preset, DEFAULT_SETTINGS.preset).parse(given.preset),
  }
}
