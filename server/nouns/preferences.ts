import { isDeepStrictEqual } from 'node:util'
import type { calls } from '../../contract/calls.ts'
import { merged } from '../../contract/merge.ts'
import { type Handler, Unchanged } from '../context.ts'
import { Refusal } from '../refusal.ts'

/** As stored, which is what the check of the table measures. */
const MOST_BYTES = 32_768

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
  // Measured here, so that the check of the table fails for nobody: a database of one's own would write the row to its
  // log.
  const { count } = await sql`
    update account set preferences = next.kept from (select ${sql.json(next as never)}::jsonb as kept) next
    where id = ${account.id} and octet_length(next.kept::text) <= ${MOST_BYTES}`
  if (count === 0) throw new Refusal('invalid_input', 'Your preferences take more than 32 kB.')
  return { status: 'OK' }
}
