import { ask } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Disk } from './disk.ts'

/**
 * Whether the server can serve: the database answers. It goes on serving while the disk has room for reading only,
 * and says so. Throws what the database, or the way to it, says.
 */
export async function checkHealth(sql: Sql, disk: Disk): Promise<{ status: 'OK'; writes: boolean }> {
  await ask(sql, async () => sql`select 1`)
  return { status: 'OK', writes: disk.hasRoom() }
}
