import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '../../files.ts'
import { begin } from '../../postgres/begin.ts'
import { LOCKS } from '../../postgres/locks.ts'
import { type Connect, openPool, type Sql } from '../../postgres/pool.ts'
import { type Kept, keptIn, nameOf, recentOf, surplusOf, TRIAL, type Trial } from './kept.ts'
import { takeBackup } from './take.ts'
import { sweepTrial, TRIAL_PREFIX, tryBackup } from './trial.ts'

/** What the process of a backup by the clock is told. */
export type Order = {
  owner: Connect
  /** SECRET_KEY's 32 bytes. */
  key: Uint8Array
  timeZone: string
  /** The folder of the backups, and how many it keeps. */
  folder: string
  keep: number
  /** The moment after which the newest backup is new enough. */
  due: Date
  now: Date
}

/** What came of it; null where another server is at it, or has just been. */
export type Made = { name: string; trial: Trial; removed: string[] } | null

/**
 * Makes a backup where there is no recent one, tries it and removes those that are no longer kept, on one server at a time: the lock of a transaction
 * lasts until it is done, whatever stands between this program and the database.
 */
export async function makeBackup(order: Order, signal: AbortSignal): Promise<Made> {
  const sql = openPool(order.owner, { max: 1, patient: true, lasting: true })
  try {
    return await begin(
      sql,
      async (sql) => {
        const [lock] = await sql<{ mine: boolean }[]>`
          select pg_try_advisory_xact_lock(${LOCKS.backup}) as mine`
        const recent = recentOf(keptIn(order.folder), order.due)
        if (!lock?.mine || recent?.trial) return null
        return await make(sql, order, recent, signal)
      },
      'read only',
    )
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function make(sql: Sql, order: Order, recent: Kept | null, signal: AbortSignal): Promise<Made> {
  const { owner, timeZone, folder: parent, now } = order
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  await sweep(parent)
  const key = Buffer.from(order.key)
  const name = recent?.name ?? nameOf(now)
  const folder = join(parent, name)
  if (!recent) await takeBackup({ owner, key, timeZone, folder, say: () => {}, signal })
  const [row] = await sql<{ size: number }[]>`select pg_database_size(current_database()) as size`
  const result = await tryBackup({ folder, key, size: row?.size ?? 0, signal })
  const trial = { at: now.toISOString(), ...result }
  writeDurably(join(folder, TRIAL), `${JSON.stringify(trial, null, 2)}\n`)
  const surplus = surplusOf(keptIn(parent), order.keep).map(({ name }) => name)
  for (const name of surplus) rmSync(join(parent, name), { recursive: true, force: true })
  return { name, trial, removed: surplus }
}

/** Removes what killed processes have left. Nobody else is at it, because this one has the lock. */
async function sweep(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    if (/^auto-.*\.partial$/.test(name)) rmSync(join(parent, name), { recursive: true, force: true })
    if (name.startsWith(TRIAL_PREFIX)) await sweepTrial(join(parent, name))
  }
}
