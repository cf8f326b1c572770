import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Config, StartFault } from '../config.ts'
import { MAJOR } from './binaries.ts'
import { refuseOfAnother } from './cluster.ts'
import { isInDataFolder } from './data-folder.ts'
import { markOf } from './database-mark.ts'
import { startEmbedded } from './embedded.ts'
import { codeOf, isLost } from './errors.ts'
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
  const waiting = { standby, stopping, say }
  const server = await answerOf('DATABASE_URL', config.database.server, waiting)
  const owner = await answerOf('DATABASE_OWNER_URL', config.database.owner, waiting)
  if (server !== owner) {
    throw new StartFault(
      'DATABASE_URL and DATABASE_OWNER_URL name two different databases; both must name the one that Boxtree is to use.',
    )
  }
  return { ...config.database, files: null, stop: async () => {} }
}

/**
 * Refuses a command that needs an existing database, where none was ever made, this user may not look for it, or
 * another one runs it.
 * @throws StartFault
 */
export function requireDatabase({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): void {
  if (database !== null) return
  const cluster = join(dataDir, `postgres-${MAJOR}`)
  if (!isInDataFolder(cluster)) {
    throw new StartFault(`There is no database in ${dataDir} yet; start the console first.`)
  }
  if (existsSync(join(cluster, 'postmaster.pid'))) refuseOfAnother(cluster)
}

type Waiting = { standby: boolean; stopping: AbortSignal | undefined; say: (line: string) => void }

/** Waits until a database answers. Returns its mark. */
async function answerOf(name: string, to: Connect, { standby, stopping, say }: Waiting): Promise<string> {
  const sql = openPool(to, { max: 1, standby })
  const deadline = performance.now() + WAIT_MS
  let told = false
  try {
    for (;;) {
      try {
        return await markOf(sql)
      } catch (error) {
        if (!isLost(error) || performance.now() > deadline) {
          throw new StartFault(`The database that ${name} names does not let Boxtree in: ${reasonOf(error)}`)
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

/** What Node says of a certificate whose authority it does not know. Its own remedy is one for whoever starts Node. */
const OF_UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

function reasonOf(error: unknown): string {
  if (OF_UNKNOWN_AUTHORITY.has(codeOf(error)))
    return "the authority that signed its certificate is not known here; set NODE_EXTRA_CA_CERTS to the file of your authority's certificate."
  return error instanceof Error ? error.message : String(error)
}
