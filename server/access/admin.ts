import { DEFAULT_SETTINGS } from '../../contract/appearance.ts'
import { begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { setPassword } from '../tree/password.ts'
import { auditHere } from './audit.ts'
import { hashPassword } from './password.ts'

/** Returns whether it has created the admin; false where there is one. */
export async function createFirstAdmin(sql: Sql, name: string, password: string): Promise<boolean> {
  // Looked for first: an insert that meets a conflict takes an id all the same, and its commit may wait for the
  // standby.
  if (await hasAdmin(sql)) return false
  const made = await sql`
    insert into account (name, role, password, settings, created)
    values (${name}, 'admin', ${await hashPassword(password, null)}, ${sql.json(DEFAULT_SETTINGS)}, moment())
    on conflict do nothing returning id`
  return made.length === 1
}

export async function hasAdmin(sql: Sql): Promise<boolean> {
  const there = await sql`select from account where role = 'admin'`
  return there.length === 1
}

/** Sets the admin's password and ends the admin's sessions. Returns the admin's name; null without an admin. */
export async function setAdminPassword(sql: Sql, password: string): Promise<string | null> {
  const hash = await hashPassword(password, null)
  return begin(sql, async (sql) => {
    const [admin] = await sql<{ id: number; name: string }[]>`
      select id, name from account where role = 'admin' for no key update`
    if (!admin) return null
    await setPassword(sql, admin, hash)
    await auditHere(sql, admin.id, 'admin.password')
    return admin.name
  })
}
