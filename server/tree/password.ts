import type { Account } from '../context.ts'
import type { Sql } from '../postgres/pool.ts'

/** Gives an account whose row is locked another password, and ends its sessions. */
export async function setPassword(sql: Sql, { id }: Pick<Account, 'id'>, hash: string): Promise<void> {
  // Locks the account before its sessions, as a login does, so that the second of the two sees what the first did.
  await sql`update account set password = ${hash} where id = ${id}`
  await sql`select end_sessions(${id})`
}
