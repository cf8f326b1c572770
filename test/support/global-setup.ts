import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findBinaries } from '../../server/postgres/binaries.ts'
import { initialise } from '../../server/postgres/cluster.ts'
import { startEmbedded } from '../../server/postgres/embedded.ts'
import { freeSpaceOf } from '../../server/postgres/files.ts'
import { findHome } from '../../server/postgres/home.ts'
import { migrate } from '../../server/postgres/migrate.ts'
import { type Connect, type Sql, withPool } from '../../server/postgres/pool.ts'
import { THOROUGH } from '../laws/runs.ts'
import { startExternal } from './external.ts'
import { copyCluster } from './folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects to the suites' PostgreSQL as its superuser. */
    postgres: Connect
    /** Whether its files lie in memory. */
    inMemory: boolean
    /** The run's folder, which the janitor removes after the run. */
    folder: string
    /** An empty cluster of the embedded PostgreSQL, as a first start makes it. */
    cluster: string
  }
}

/** The migrated database of which every test gets a copy. */
export const TEMPLATE = 'boxtree_template'

/** Starts one PostgreSQL for all suites of a project, and creates the template. */
export default async function setUp(project: TestProject) {
  const inMemory = hasRoomInMemory()
  // Making a database costs twice as much on a disk. `npm run faults` makes its own there, as an operator does.
  const folder = makeFolder(inMemory && !THOROUGH ? MEMORY : tmpdir())
  const cluster = await makeCluster(join(folder, 'made'))
  const shared = join(inMemory ? makeFolder(MEMORY) : folder, 'shared')
  const database = await start(shared, project.name, cluster)
  await makeTemplate(database.postgres)
  project.provide('postgres', database.postgres)
  project.provide('inMemory', inMemory)
  project.provide('folder', folder)
  project.provide('cluster', cluster)
  return () => database.stop()
}

const MEMORY = '/dev/shm'

/** Whether the suites' database, which is copied for every test, can lie in memory. A copy then costs a third. */
function hasRoomInMemory(): boolean {
  if (!existsSync(MEMORY)) return false
  return Math.min(freeSpaceOf(MEMORY), process.availableMemory()) > 4 * 2 ** 30
}

function makeFolder(within: string): string {
  const folder = mkdtempSync(join(within, 'boxtree-test-'))
  chmodSync(folder, 0o711)
  leaveToJanitor(folder)
  return folder
}

async function makeCluster(dataDir: string): Promise<string> {
  mkdirSync(dataDir, { mode: 0o711 })
  return realpathSync((await findHome(dataDir, findBinaries(), initialise)).cluster)
}

/** Starts the embedded server, or one like an operator's: over TCP, with passwords. */
async function start(
  folder: string,
  project: string,
  cluster: string,
): Promise<{ postgres: Connect; stop(): Promise<void> }> {
  if (!project.startsWith('external')) {
    const copy = copyCluster(cluster, folder)
    // To create or drop a database PostgreSQL goes through all of these buffers: with a quarter of the memory that
    // takes half of the processor's time for it.
    writeFileSync(join(copy, 'local.conf'), 'shared_buffers = 128MB\n')
    const { socket, stop } = await startEmbedded({ dataDir: folder, say: () => {} })
    return { postgres: { socket, database: 'postgres', user: 'postgres' }, stop }
  }
  mkdirSync(folder, { mode: 0o711 })
  const { at, stop } = await startExternal(folder, project === 'external-15')
  return { postgres: at('postgres', 'postgres'), stop }
}

/** Returns the connection to the same server for another role and database. */
export function connectAs(postgres: Connect, user: string, database: string): Connect {
  if (typeof postgres !== 'string') return { ...postgres, user, database }
  const url = new URL(postgres)
  url.username = user
  url.pathname = database
  return url.href
}

/** PostgreSQL copies a database only while nobody is connected to it, so no console may run on the template. */
async function makeTemplate(postgres: Connect): Promise<void> {
  const make = (sql: Sql) => sql`create database ${sql(TEMPLATE)} owner boxtree_owner template template0`
  await withPool(postgres, { max: 1 }, make)
  await migrate({
    server: connectAs(postgres, 'boxtree_server', TEMPLATE),
    owner: connectAs(postgres, 'boxtree_owner', TEMPLATE),
    say: () => {},
  })
}

function leaveToJanitor(folder: string): void {
  spawn(process.execPath, [join(import.meta.dirname, 'janitor.ts'), folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).unref()
}
