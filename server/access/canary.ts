import { StartFault } from '../config.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Seal } from './seal.ts'

/**
 * Proves that SECRET_KEY is the one that this database's passwords were sealed with; the first start leaves the proof.
 * @throws StartFault where it is another
 */
export async function checkKey(sql: Sql, seal: Seal): Promise<void> {
  await sql`
    insert into installation (key, value) values ('canary', ${seal.close(SONG)}) on conflict (key) do nothing`
  const [canary] = await sql<{ value: Buffer }[]>`select value from installation where key = 'canary'`
  try {
    if (canary && seal.open(canary.value) === SONG) return
  } catch {
    // Bytes of another key do not open.
  }
  throw new StartFault(
    'SECRET_KEY is not the key that this database was written with; set the one from your backup (secret-key in DATA_DIR).',
  )
}

const SONG = 'boxtree'
