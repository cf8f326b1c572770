import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Backups, ServerReport } from '../../contract/system.ts'
import type { Config } from '../config.ts'

type Surroundings = {
  config: Pick<Config, 'freeDiskMb'>
  clock: { now(): Date; offset(): number }
  /** The free bytes under the database; null where it runs elsewhere. */
  freeSpace: (() => number) | null
  leaving: AbortSignal
  databaseHost?: () => string | null
  backups?: () => Promise<Backups> | null
  ports?: Ports
}

/** Where a process serves people and boxes; null where it does not. */
export type Ports = { console: number | null; boxes: number | null }

const VERSION = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
).version

/** Returns what tells of this process, each time as it stands then. */
export function openReport({
  config,
  clock,
  freeSpace,
  leaving,
  ...more
}: Surroundings): () => Promise<ServerReport> {
  const id = randomUUID()
  const started = clock.now().toISOString()
  return async () => {
    return {
      id,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      node: process.versions.node,
      console_port: more.ports?.console ?? null,
      box_port: more.ports?.boxes ?? null,
      started,
      stopping: leaving.aborted,
      clock_offset_ms: clock.offset(),
      database_host: more.databaseHost?.() ?? null,
      disk_free: freeSpace?.() ?? null,
      disk_least: freeSpace === null ? null : config.freeDiskMb * 2 ** 20,
      backups: (await more.backups?.()) ?? null,
    }
  }
}
