import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../server/postgres/embedded.ts'
import { migrate } from '../../server/postgres/migrate.ts'
import { type Connect, openPool } from '../../server/postgres/pool.ts'
import { startExternal } from './external.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A connection of the suites' database server; user and database are each one's own. */
    postgres: Connect
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
  const database = await start(join(folder, 'shared'), project.name === 'external')
  await makeTemplate(database.postgres)
  project.provide('postgres', database.postgres)
  project.provide('folder', folder)
  return () => database.stop()
}

/** The embedded server, or one that somebody else might run: over TCP, with passwords. */
async function start(
  folder: string,
  external: boolean,
): Promise<{ postgres: Connect; stop(): Promise<void> }> {
  if (!external) {
    const { socket, stop } = await startEmbedded({ dataDir: folder, say: () => {} })
    return { postgres: { socket, database: 'postgres', user: 'postgres' }, stop }
  }
  mkdirSync(folder, { mode: 0o711 })
  const { at, stop } = await startExternal(folder)
  return { postgres: at('postgres', 'postgres'), stop }
}

/** The same server, as another role and to another database. */
export function as(postgres: Connect, user: string, database: string): Connect {
  if (typeof postgres !== 'string') return { ...postgres, user, database }
  const url = new URL(postgres)
  url.username = user
  url.pathname = database
  return url.href
}

/** Not `boxtree` itself: a console stays connected to that, and a database is copied only while nobody is in it. */
async function makeTemplate(postgres: Connect): Promise<void> {
  const sql = openPool(postgres, { max: 1 })
  await sql`create database ${sql(TEMPLATE)} owner boxtree_owner template template0`
  await sql.end({ timeout: 5 })
  await migrate({
    server: as(postgres, 'boxtree_server', TEMPLATE),
    owner: as(postgres, 'boxtree_owner', TEMPLATE),
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
