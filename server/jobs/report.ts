import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Backups, ServerReport } from '../../contract/system.ts'
import type { Config } from '../config.ts'

type Surroundings = {
  /** By which the other servers know this process. */
  id?: string
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

/** Returns what tells of this process, each time as it stands then. */
export function openReport({
  id = randomUUID(),
  config,
  clock,
  freeSpace,
  leaving,
  ...more
}: Surroundings): () => Promise<ServerReport> {
  const started = clock.now().toISOString()
  // Read once: later the files may be those of the next version.
  let version: string | undefined
  return async () => {
    version ??= readVersion()
    return {
      id,
      host: hostname(),
      pid: process.pid,
      version,
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

const ROOT = join(import.meta.dirname, '../..')

/**
 * Returns the version, and eight digits that stand for the files that run: servers of two commits are told apart by
 * them.
 */
function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const files = ['server', 'db'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const shipped = files.filter((file) => /\.(ts|sql|js|css|html)$/.test(file) && !file.endsWith('.test.ts'))
  const hash = createHash('sha256')
  // The last one is what the build has made of the console, the contract and the packages, as a hash.
  for (const file of [...shipped.sort(), 'dist/web.hash']) {
    const path = join(ROOT, file)
    if (existsSync(path)) hash.update(`${file}\0`).update(readFileSync(path)).update('\0')
  }
  return `${version}+${hash.digest('hex').slice(0, 8)}`
}
