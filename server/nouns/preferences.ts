import { isDeepStrictEqual } from 'node:util'
import type { calls } from '../../contract/calls.ts'
import { merged } from '../../contract/merge.ts'
import { type Handler, Unchanged } from '../context.ts'

/** Stores the preferences that were sent, and keeps all others, also those of another release. */
export const savePreferences: Handler<typeof calls.session.savePreferences> = async (
  { sql, account },
  preferences,
) => {
  const [row] = await sql<{ stored: Record<string, unknown> }[]>`
    select preferences as stored from account where id = ${account.id} for no key update`
  const stored = row?.stored ?? {}
  const next = merged(stored, preferences)
  if (isDeepStrictEqual(next, stored)) return new Unchanged({ status: 'OK' })
  await sql`update account set preferences = ${sql.json(next as never)} where id = ${account.id}`
  return { status: 'OK' }
}
