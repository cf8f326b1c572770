import type { calls } from '../../contract/calls.ts'
import { type Handler, Unchanged } from '../context.ts'

export const saveSettings: Handler<typeof calls.desk.admin.saveSettings> = async (
  { sql, account },
  settings,
) => {
  const { count } = await sql`
    update account set settings = ${sql.json(settings)}
    where id = ${account.id} and settings <> ${sql.json(settings)}`
  return count > 0 ? { status: 'OK' } : new Unchanged({ status: 'OK' })
}
