import type { Networks } from '../network.ts'
import { ask } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Disk } from './disk.ts'

type Health = { status: 'OK'; writes: boolean; untrusted_proxy: boolean }

/**
 * Whether the server can serve: the database answers. It goes on serving while the disk has room for reading only, or
 * while a proxy is in front that it was not told of, and says so. Throws what the database, or the way to it, says.
 */
export async function checkHealth(sql: Sql, disk: Disk, networks: Networks): Promise<Health> {
  await ask(sql, async () => sql`select 1`)
  return { status: 'OK', writes: disk.hasRoom(), untrusted_proxy: networks.seesUntrustedProxy() }
}
