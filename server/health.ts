import type { Sql } from './postgres/pool.ts'

/** Whether the server can serve: the database answers. Throws what the database, or the way to it, says. */
export async function checkHealth(sql: Sql): Promise<{ status: 'OK' }> {
  await sql`select 1`
  return { status: 'OK' }
}
