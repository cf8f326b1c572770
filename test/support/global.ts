import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
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
  }
}

/** A migrated database that every test's own is a copy of. */
export const TEMPLATE = 'boxtree_template'

/** Starts one PostgreSQL for all suites, and makes the template. */
export default async function setUp(project: TestProject) {
  const dataDir = mkdtempSync(join(tmpdir(), 'boxtree-test-'))
  chmodSync(dataDir, 0o711)
  const database = await startEmbedded({ dataDir, say: () => {} })
  const stop = once(async () => {
    await database.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  // A run that is interrupted leaves nothing behind either.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
  await makeTemplate(database.socket)
  project.provide('socket', database.socket)
  return stop
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

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= work()
    return done
  }
}
