import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, StartFault } from '../config.ts'
import { isLost } from './begin.ts'
import { MAJOR } from './binaries.ts'
import { startEmbedded } from './embedded.ts'
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

const WAIT_MS = 30_000
const PAUSE_MS = 500

/**
 * Starts the embedded database, or waits until the external one answers.
 * @param guest allows a console that already runs on the same data folder
 * @param standby allows an external database that may only be read
 * @throws StartFault when the database cannot be opened
 */
export async function openDatabase(
  config: Pick<Config, 'dataDir' | 'database'>,
  say: (line: string) => void,
  { guest = false, standby = false } = {},
): Promise<Database> {
  if (config.database === null) return startEmbedded({ dataDir: config.dataDir, say, guest })
  await answers('DATABASE_URL', config.database.server, standby, say)
  await answers('DATABASE_OWNER_URL', config.database.owner, standby, say)
  return { ...config.database, files: null, stop: async () => {} }
}

/**
 * Refuses a command that needs an existing database, where none was ever made.
 * @throws StartFault
 */
export function requireDatabase({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): void {
  if (database === null && !existsSync(join(dataDir, `postgres-${MAJOR}`))) {
    throw new StartFault(`There is no database in ${dataDir} yet; start the console first.`)
  }
}

async function answers(
  name: string,
  to: Connect,
  standby: boolean,
  say: (line: string) => void,
): Promise<void> {
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
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
