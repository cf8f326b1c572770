import type { calls } from '../../contract/calls.ts'
import { MOST_PREFERENCES } from '../../contract/preferences.ts'
import { type Handler, Unchanged } from '../context.ts'
import { Refusal } from '../refusal.ts'

/** Stores the preferences that were sent, and keeps all others, also those of another release. */
export const savePreferences: Handler<typeof calls.session.savePreferences> = async (
  { sql, account },
  preferences,
) => {
  const [next] = await sql<{ same: boolean; bytes: number }[]>`
    select a.preferences = merged as same, octet_length(merged::text) as bytes
    from (select * from account where id = ${account.id} for no key update) a,
      lateral (select a.preferences || ${sql.json(preferences)} as merged) m`
  if (next?.same) return new Unchanged({ status: 'OK' })
  if (next && next.bytes > MOST_PREFERENCES)
    throw new Refusal('invalid_input', 'Your preferences take more than 32 kB.')
  await sql`update account set preferences = preferences || ${sql.json(preferences)} where id = ${account.id}`
  return { status: 'OK' }
}
