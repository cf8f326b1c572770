import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Config, StartFault } from '../config.ts'
import { MAJOR } from './binaries.ts'
import { isInDataFolder } from './data-folder.ts'
import { startEmbedded } from './embedded.ts'
import { isLost } from './errors.ts'
import { type Connect, openPool } from './pool.ts'

/** The database of a configuration, embedded or external. */
export interface Database {
  server: Connect
  owner: Connect
  /** Where its files are; null where it runs elsewhere. */
  files: string | null
  /** Stops the embedded server, if this process started or adopted it. */
  stop(): Promise<void>
}

type Opening = { guest?: boolean; standby?: boolean; stopping?: AbortSignal }

const WAIT_MS = 30_000
const PAUSE_MS = 500

/**
 * Starts the embedded database, or waits until the external one answers.
 * @param guest allows a console that already runs on the same data folder
 * @param standby allows an external database that may only be read
 * @param stopping aborted when the program is told to stop, which then waits no longer
 * @throws StartFault when the database cannot be opened
 */
export async function openDatabase(
  config: Pick<Config, 'dataDir' | 'database'>,
  say: (line: string) => void,
  { guest = false, standby = false, stopping }: Opening = {},
): Promise<Database> {
  if (config.database === null) return startEmbedded({ dataDir: config.dataDir, say, guest, stopping })
  await answers('DATABASE_URL', config.database.server, { standby, stopping, say })
  await answers('DATABASE_OWNER_URL', config.database.owner, { standby, stopping, say })
  return { ...config.database, files: null, stop: async () => {} }
}

/**
 * Refuses a command that needs an existing database, where none was ever made or this user may not look for it.
 * @throws StartFault
 */
export function requireDatabase({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): void {
  if (database === null && !isInDataFolder(join(dataDir, `postgres-${MAJOR}`))) {
    throw new StartFault(`There is no database in ${dataDir} yet; start the console first.`)
  }
}

type Waiting = { standby: boolean; stopping: AbortSignal | undefined; say: (line: string) => void }

async function answers(name: string, to: Connect, { standby, stopping, say }: Waiting): Promise<void> {
  const sql = openPool(to, { max: 1, standby })
  const deadline = Date.now() + WAIT_MS
  let told = false
  try {
    for (;;) {
      try {
        await sql`select 1`
        return
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (!isLost(error) || Date.now() > deadline) {
          throw new StartFault(`The database that ${name} names does not let Boxtree in: ${reason}`)
        }
        if (!told) say('Waiting for the database')
        told = true
      }
      await pause(PAUSE_MS, undefined, { signal: stopping })
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
