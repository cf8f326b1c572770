import type { Networks } from '../network.ts'
import { withTimeout } from '../postgres/begin.ts'
import type { Clock } from '../postgres/clock.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Disk } from './disk.ts'

type Health = { status: 'OK'; writes: boolean; untrusted_proxy: boolean; clock_offset_ms: number }

/**
 * Checks that the database is reachable. A full disk, an untrusted proxy and a wrong clock are reported, but do not fail
 * the check.
 * @throws the error of the database, or of the connection to it
 */
export async function checkHealth(sql: Sql, disk: Disk, networks: Networks, clock: Clock): Promise<Health> {
  await withTimeout(sql, async () => sql`select 1`)
  return {
    status: 'OK',
    writes: disk.hasRoom() && !clock.isBehind(),
    untrusted_proxy: networks.seesUntrustedProxy(),
    clock_offset_ms: clock.offset(),
  }
}
