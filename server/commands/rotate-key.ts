import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { counted } from '../../contract/quantities.ts'
import { matchesKey } from '../access/key-check.ts'
import { rotateKey } from '../access/reseal.ts'
import { createSeal } from '../access/seal.ts'
import {
  findSecretKey,
  nextKeyFile,
  readKeyFile,
  replaceKeyFile,
  writeKeyFile,
} from '../access/secret-key.ts'
import { type Config, readConfig, StartFault } from '../config.ts'
import { change } from '../postgres/begin.ts'
import { openDatabase, requireDatabase } from '../postgres/database.ts'
import { codeOf } from '../postgres/errors.ts'
import { migrate } from '../postgres/migrate.ts'
import { type Sql, withPool } from '../postgres/pool.ts'
import { standingOf } from '../postgres/schema.ts'
import { runCommand, say, withDatabase } from './command.ts'

// Seals every client's password under another SECRET_KEY, while no console runs. An interrupted rotation is completed
// by running it again: the new key is on the disk before anything is sealed with it, and one transaction seals
// everything.

/** How long the server may still list connections that this command itself has closed, in milliseconds. */
const LEAVING_MS = 2_000

await runCommand(main)

async function main(): Promise<void> {
  const config = readConfig(process.env)
  requireDatabase(config)
  const from = findSecretKey(config)
  if (from === null)
    throw new StartFault(`There is no secret-key in ${config.dataDir}; start the console first.`)
  await withDatabase(await openDatabase(config, () => {}), async (database) => {
    await withPool(database.owner, { max: 1, isLong: true }, async (sql) => {
      if ((await standingOf(sql)) === null)
        throw new StartFault('There is nothing to encrypt yet; start the console first.')
      // First, because a commit that waits for a standby keeps the connection of a console that has ended.
      await refuseWithoutCommits(sql)
      if (database.files === null) await refuseWhileUsed(sql)
      await migrate({ ...database, say })
      const to = await newKey(config, sql)
      if (to.equals(from))
        throw new StartFault('NEW_SECRET_KEY is the key that is in use; set it to another one.')
      const resealed = await rotateKey(sql, createSeal(from), createSeal(to))
      say(`${counted(resealed, 'password')} ${resealed === 1 ? 'is' : 'are'} encrypted with the new key.`)
    })
    if (config.secretKey === null) replaceKeyFile(config)
    else say('Set SECRET_KEY to the new key now, before you start the console, and take NEW_SECRET_KEY away.')
    say(
      'Every box signs in again: by itself with its MAC, and by its login and password as a Ministra client.',
    )
    say('Backups taken before hold the old key, and can be restored by it alone: take a new one.')
  })
}

/** A console that runs would go on sealing with the old key. The embedded database has only one user at a time. */
async function refuseWhileUsed(sql: Sql): Promise<void> {
  const deadline = performance.now() + LEAVING_MS
  for (;;) {
    const [row] = await sql<{ others: number }[]>`
      select count(*)::int as others from pg_stat_activity
      where datname = current_database() and application_name = 'boxtree' and pid <> pg_backend_pid()`
    if (row?.others === 0) return
    if (performance.now() > deadline) {
      throw new StartFault('A console is running on this database; stop every one before the key is changed.')
    }
    await pause(100)
  }
}

/**
 * A change whose end is not confirmed leaves the operator with two keys, one of which is the database's. So it is not
 * begun where the database confirms none.
 */
async function refuseWithoutCommits(sql: Sql): Promise<void> {
  try {
    await change(sql, () => sql`select pg_logical_emit_message(true, 'boxtree', '')`)
  } catch (error) {
    if (codeOf(error) !== 'ETIMEDOUT') throw error
    throw new StartFault(
      'The database confirms no change at present, as where a standby is away that each change waits for. Nothing was done.',
    )
  }
}

/**
 * Returns the new key: NEW_SECRET_KEY where SECRET_KEY is set, else one that is stored in a file first. A file that is
 * there holds the key of the database if a rotation was interrupted after its end, and else nobody's.
 */
async function newKey(config: Config, sql: Sql): Promise<Buffer> {
  if (config.secretKey !== null) {
    if (config.newSecretKey) return config.newSecretKey
    throw new StartFault('Set NEW_SECRET_KEY to the new key, as `openssl rand -base64 32` prints one.')
  }
  const file = nextKeyFile(config)
  const kept = readKeyFile(file)
  if (kept && (await matchesKey(sql, createSeal(kept)))) return kept
  rmSync(file, { force: true })
  writeKeyFile(file, config.newSecretKey ?? randomBytes(32))
  const key = readKeyFile(file)
  if (key === null) throw new StartFault(`${file} cannot be written.`)
  return key
}
