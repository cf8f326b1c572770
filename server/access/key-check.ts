import { type Config, StartFault } from '../config.ts'
import type { Sql } from '../postgres/pool.ts'
import { openOrNull, type Seal } from './seal.ts'
import { findOrMakeSecretKey } from './secret-key.ts'

/** What is said of another key than the one of a database. */
const ANOTHER =
  'SECRET_KEY (or secret-key in DATA_DIR, if you set none) is not the key of this database; use the one of another server of this database or of your newest backup, or run `npm run rotate-key` again if it was interrupted.'

/** The first start stores a proof, which another SECRET_KEY fails. @throws StartFault where it is another */
export async function storeOrCheckKey(sql: Sql, seal: Seal, sentence = ANOTHER): Promise<void> {
  await sql`
    insert into installation (key, value) values ('canary', ${seal.close(PLAINTEXT, OWNER)}) on conflict (key) do nothing`
  await requireKey(sql, seal, sentence)
}

/**
 * Makes the key of a first start in the data folder.
 * @throws StartFault where the database has a key already: another one could read nothing
 */
export async function makeSecretKey(
  sql: Sql,
  config: Pick<Config, 'secretKey' | 'dataDir'>,
): Promise<Buffer> {
  const [canary] = await sql`select from installation where key = 'canary'`
  if (!canary) return findOrMakeSecretKey(config)
  throw new StartFault(
    `There is no secret-key in ${config.dataDir}, and this database has one; copy the one of another server of this database there, or the one from your newest backup, or set SECRET_KEY.`,
  )
}

/** @throws StartFault where SECRET_KEY is another */
export async function requireKey(sql: Sql, seal: Seal, sentence = ANOTHER): Promise<void> {
  if (!(await matchesKey(sql, seal))) throw new StartFault(sentence)
}

export async function matchesKey(sql: Sql, seal: Seal): Promise<boolean> {
  const [canary] = await sql<{ value: Buffer }[]>`select value from installation where key = 'canary'`
  return canary !== undefined && openOrNull(seal, canary.value, OWNER) === PLAINTEXT
}

export async function replaceKey(sql: Sql, seal: Seal): Promise<void> {
  await sql`update installation set value = ${seal.close(PLAINTEXT, OWNER)} where key = 'canary'`
}

const PLAINTEXT = 'boxtree'
const OWNER = 'installation'
