import type { calls } from '../../contract/calls.ts'
import type { Handler } from '../context.ts'

/** Keeps how the console looks to the caller. */
export const saveSettings: Handler<typeof calls.desk.admin.saveSettings> = async (
  { sql, account },
  settings,
) => {
  await sql`update account set settings = ${sql.json(settings)} where id = ${account.id}`
  return { status: 'OK' }
}
