import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../server/postgres/embedded.ts'
import { migrate } from '../../server/postgres/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The unix socket of the suites' database server. */
    socket: string
  }
}

/** Starts one PostgreSQL for all suites; its migrated database `boxtree` is the template of every test's own. */
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
  await migrate({ ...database, say: () => {} })
  project.provide('socket', database.socket)
  return stop
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= work()
    return done
  }
}
