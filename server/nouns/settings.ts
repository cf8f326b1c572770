import type { calls } from '../../contract/calls.ts'
import { type Handler, Unchanged } from '../context.ts'

/** Keeps the settings that were sent, and all others as they are. */
export const saveSettings: Handler<typeof calls.desk.admin.saveSettings> = async (
  { sql, account },
  settings,
) => {
  // In the statement that writes, so that two devices that save at the same time lose nothing of each other.
  const next = sql`case jsonb_typeof(settings) when 'object' then settings else '{}' end || ${sql.json(settings)}`
  const { count } = await sql`
    update account set settings = ${next} where id = ${account.id} and settings <> ${next}`
  return count > 0 ? { status: 'OK' } : new Unchanged({ status: 'OK' })
}
