import * as z from 'zod/mini'
import { LIST_FILTERS } from './clients.ts'
import { ReminderText } from './due.ts'
import { MOST_PER_PAGE } from './page.ts'
import { ANY_CLIENT_SORTS, Search } from './shapes.ts'
import { storable } from './text.ts'

/** The key of a table or column. The console ignores keys that it does not know. */
const Key = z.string().check(z.regex(/^[A-Za-z][A-Za-z_-]{0,39}$/, 'There is no such key'))

/** How somebody likes to see one table. */
const TablePreference = z.strictObject({
  /** Rows per page. */
  rows: z.optional(z.int().check(z.minimum(1), z.maximum(MOST_PER_PAGE))),
  dense: z.optional(z.boolean()),
  sort: z.optional(Key),
  order: z.optional(z.enum(['asc', 'desc'])),
  /** Whether a column is shown, where that is not as usual. */
  columns: z.optional(z.record(Key, z.boolean())),
})

/** A search and filter of the clients, in an order. */
export const SavedFilter = z.strictObject({
  search: z.optional(Search),
  filter: z.optional(z.enum(LIST_FILTERS)),
  sort: z.optional(z.enum(ANY_CLIENT_SORTS)),
  order: z.optional(z.enum(['asc', 'desc'])),
})
export type SavedFilter = z.output<typeof SavedFilter>

export const FilterName = z
  .string()
  .check(
    z.minLength(1, 'Please type a name'),
    z.maxLength(40, 'A name has at most 40 characters'),
    storable('This name has characters that cannot be stored'),
  )

/**
 * How an account likes to work. Every field is optional. A save changes those that it is sent, at whatever depth, and
 * removes a named filter that it is sent as null: two tabs that change different things lose nothing.
 */
export const Preferences = z.strictObject({
  /** False where single keys are no shortcuts. */
  shortcuts: z.optional(z.boolean()),
  /** Set once the steps of the first day were put away. */
  first_day: z.optional(z.literal('done')),
  /** The dealer's own text of a reminder. */
  reminder: z.optional(ReminderText),
  tables: z.optional(z.record(Key, TablePreference)),
  /** Filters of the list of clients, by the names that the person gave them. */
  filters: z.optional(z.record(FilterName, z.nullable(SavedFilter))),
})
export type Preferences = z.output<typeof Preferences>

/** Returns the stored preferences that this release knows. Those of another release stay stored, and are ignored. */
export function readPreferences(stored: unknown): Preferences {
  return (known(Preferences, stored) ?? {}) as Preferences
}

/** Returns what of a value a schema knows, at whatever depth; undefined where that is nothing. */
function known(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (def.type === 'optional' || def.type === 'nullable') return known(def.innerType, value)
  if (def.type !== 'object' && def.type !== 'record') return z.safeParse(schema, value).data
  if (typeof value !== 'object' || value === null) return undefined
  const fields = Object.entries(value).flatMap(([key, one]) => {
    const of = def.type === 'object' ? def.shape[key] : isKey(def.keyType, key) ? def.valueType : undefined
    const field = of && known(of, one)
    return field === undefined ? [] : [[key, field]]
  })
  return Object.fromEntries(fields)
}

function isKey(schema: z.core.$ZodType, key: string): boolean {
  return z.safeParse(schema, key).success
}
