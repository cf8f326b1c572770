import type { calls } from '../../contract/calls.ts'
import type { Handler } from '../context.ts'

/** Stores the caller's appearance settings. */
export const saveSettings: Handler<typeof calls.desk.admin.saveSettings> = async (
  { sql, account },
  settings,
) => {
  await sql`update account set settings = ${sql.json(settings)} where id = ${account.id}`
  return { status: 'OK' }
}
