import * as z from 'zod/mini'

export const Settings = z.strictObject({
  mode: z.enum(['light', 'dark']),
  layout: z.enum(['left', 'right']),
  preset: z.enum(['green', 'purple', 'aqua', 'blue', 'orange', 'red']),
})
export type Settings = z.output<typeof Settings>

export const DEFAULT_SETTINGS: Settings = { mode: 'light', layout: 'left', preset: 'blue' }
