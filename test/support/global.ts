import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../server/postgres/embedded.ts'
import { migrate } from '../../server/postgres/migrate.ts'
import { openPool } from '../../server/postgres/pool.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The unix socket of the suites' database server. */
    socket: string
    /** A folder for what a test leaves; it goes when the run ends. */
    folder: string
  }
}

/** A migrated database that every test's own is a copy of. */
export const TEMPLATE = 'boxtree_template'

/** Starts one PostgreSQL for all suites, and makes the template. */
export default async function setUp(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'boxtree-test-'))
  chmodSync(folder, 0o711)
  leaveToJanitor(folder)
  const database = await startEmbedded({ dataDir: join(folder, 'shared'), say: () => {} })
  await makeTemplate(database.socket)
  project.provide('socket', database.socket)
  project.provide('folder', folder)
  return () => database.stop()
}

/** Not `boxtree` itself: a console stays connected to that, and a database is copied only while nobody is in it. */
async function makeTemplate(socket: string): Promise<void> {
  const sql = openPool({ socket, database: 'postgres', user: 'postgres' }, { max: 1 })
  await sql`create database ${sql(TEMPLATE)} owner boxtree_owner template template0`
  await sql.end({ timeout: 5 })
  const at = { socket, database: TEMPLATE }
  const [server, owner] = [
    { ...at, user: 'boxtree_server' },
    { ...at, user: 'boxtree_owner' },
  ]
  await migrate({ server, owner, say: () => {} })
}

function leaveToJanitor(folder: string): void {
  spawn(process.execPath, [join(import.meta.dirname, 'janitor.ts'), folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).unref()
}
