import { StartFault } from '../config.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Seal } from './seal.ts'

/**
 * Proves that SECRET_KEY is the one that this database's passwords were sealed with; the first start leaves the proof.
 * @throws StartFault where it is another
 */
export async function checkKey(sql: Sql, seal: Seal): Promise<void> {
  await sql`
    insert into installation (key, value) values ('canary', ${seal.close(SONG, OWNER)}) on conflict (key) do nothing`
  await proveKey(sql, seal)
}

/**
 * The same of a database that has the proof, for a transaction that only reads.
 * @throws StartFault where it is another
 */
export async function proveKey(sql: Sql, seal: Seal): Promise<void> {
  if (await isKey(sql, seal)) return
  throw new StartFault(
    'SECRET_KEY is not the key that this database was written with; set the one from your backup (secret-key in DATA_DIR), or run `npm run rotate-key` again where it was interrupted.',
  )
}

/** Whether the proof was left by this key. */
export async function isKey(sql: Sql, seal: Seal): Promise<boolean> {
  const [canary] = await sql<{ value: Buffer }[]>`select value from installation where key = 'canary'`
  try {
    return canary !== undefined && seal.open(canary.value, OWNER) === SONG
  } catch {
    // Bytes of another key do not open.
    return false
  }
}

/** Leaves the proof of another key in the place of the one that was there. */
export async function replaceKey(sql: Sql, seal: Seal): Promise<void> {
  await sql`update installation set value = ${seal.close(SONG, OWNER)} where key = 'canary'`
}

const SONG = 'boxtree'
const OWNER = 'installation'
