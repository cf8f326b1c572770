import * as z from 'zod/mini'
import { ReminderText } from './due.ts'

/** How an account likes to work. Every field is optional; a save changes those that it is sent. */
export const Preferences = z.strictObject({
  /** False where single keys are no shortcuts. */
  shortcuts: z.optional(z.boolean()),
  /** Set once the steps of the first day were put away. */
  first_day: z.optional(z.literal('done')),
  /** The dealer's own text of a reminder. */
  reminder: z.optional(ReminderText),
})
export type Preferences = z.output<typeof Preferences>

/** The most that is stored for one account, in bytes of JSON. */
export const MOST_PREFERENCES = 32_768

/** Returns the stored preferences that this release knows. Those of another release stay stored, and are ignored. */
export function readPreferences(stored: unknown): Preferences {
  const fields = Object.entries(Preferences.shape).flatMap(([name, schema]) => {
    const field = schema.safeParse((stored as Record<string, unknown> | null)?.[name])
    return field.success && field.data !== undefined ? [[name, field.data]] : []
  })
  return Object.fromEntries(fields)
}
