import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beginAndAwait } from '../postgres/begin.ts'
import { markOf } from '../postgres/database-mark.ts'
import { LOCKS, tryLock } from '../postgres/locks.ts'
import { type Connect, type Sql, withPool } from '../postgres/pool.ts'
import type { Reserve } from './reserve.ts'
import {
  isOf,
  nameOf,
  recentOf,
  type StoredBackup,
  storedIn,
  surplusOf,
  type TestRestore,
  writeTestRestore,
} from './stored.ts'
import { takeBackup } from './take.ts'
import { sweepTestRestore, TEST_RESTORE_PREFIX, testRestore } from './test-restore.ts'

/** What the process of a backup by the clock is told. */
export type ScheduledBackup = {
  owner: Connect
  key: Uint8Array
  timeZone: string
  reserve: Reserve | null
  folder: string
  keep: number
  /** The moment after which the newest backup is new enough. */
  due: Date
  now: Date
}

/** What came of a scheduled backup; null where another server is making one, or has just made one. */
export type BackupOutcome = {
  name: string
  testRestore: TestRestore
  removed: string[]
  /** What could not be removed, and why. */
  stuck: string[]
} | null

/**
 * Makes a backup where there is no recent one, tests it by a restore and removes those that are no longer kept, on one
 * server at a time: the lock of a transaction lasts until it is done, whatever stands between this program and the
 * database.
 */
export async function makeScheduledBackup(
  order: ScheduledBackup,
  signal: AbortSignal,
): Promise<BackupOutcome> {
  return withPool(order.owner, { max: 1, isLong: true }, (sql) =>
    beginAndAwait(
      sql,
      async (sql, lost) => {
        const isMine = await tryLock(sql, LOCKS.backup)
        const mark = await markOf(sql)
        const recent = recentOf(await storedIn(order.folder, order.now, mark), order.due)
        if (!isMine || recent?.testRestore) return null
        // Without its lock, another server may begin one.
        return await make(sql, { ...order, mark }, recent, AbortSignal.any([signal, lost]))
      },
      'read only',
    ),
  )
}

async function make(
  sql: Sql,
  order: ScheduledBackup & { mark: string },
  recent: StoredBackup | null,
  signal: AbortSignal,
): Promise<BackupOutcome> {
  const { owner, timeZone, folder: parent, now, keep, reserve, mark } = order
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const remove = new Removal(parent)
  await remove.each(leftIn(parent, mark))
  // Before the new one too, which may fail for want of room, again and again.
  const before = await remove.each(surplusOf(await storedIn(parent, now, mark), keep))
  const key = Buffer.from(order.key)
  const name = recent?.name ?? nameOf(now, mark)
  const folder = join(parent, name)
  if (!recent) await takeBackup({ owner, key, timeZone, folder, reserve, say: () => {}, signal })
  const [row] = await sql<{ size: number }[]>`select pg_database_size(current_database()) as size`
  const result = await testRestore({ folder, size: row?.size ?? 0, reserve, signal })
  const tested = { at: now.toISOString(), ...result }
  writeTestRestore(folder, tested)
  const after = await remove.each(surplusOf(await storedIn(parent, now, mark), keep))
  return { name, testRestore: tested, removed: [...before, ...after], stuck: remove.stuck }
}

/** Returns what killed processes of this database have left. Nobody else is at it, because this one has the lock. */
function leftIn(parent: string, mark: string): { name: string }[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(TEST_RESTORE_PREFIX) || /^auto-.*\.partial$/.test(name))
    .filter((name) => isOf(mark, name))
    .map((name) => ({ name }))
}

/** Removes folders among the backups, each by itself: one that cannot be removed keeps no backup from being made. */
class Removal {
  readonly stuck: string[] = []
  readonly #parent: string

  constructor(parent: string) {
    this.#parent = parent
  }

  async each(folders: readonly { name: string }[]): Promise<string[]> {
    const removed: string[] = []
    for (const { name } of folders) {
      const folder = join(this.#parent, name)
      try {
        if (name.startsWith(TEST_RESTORE_PREFIX)) await sweepTestRestore(folder)
        else rmSync(folder, { recursive: true, force: true })
        removed.push(name)
      } catch (error) {
        this.stuck.push(`${name}: ${(error as Error).message}`)
      }
    }
    return removed
  }
}
