import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { storeOrCheckKey } from '../access/key-check.ts'
import { createSeal } from '../access/seal.ts'
import { StartFault } from '../config.ts'
import { countOn } from '../postgres/after-a-copy.ts'
import { begin } from '../postgres/begin.ts'
import { codeOf } from '../postgres/errors.ts'
import { LOCKS } from '../postgres/locks.ts'
import { type Connect, type Sql, withPool } from '../postgres/pool.ts'
import {
  hasTables,
  isOfExtension,
  makeTablesOf,
  originOf,
  RELEASE,
  type Release,
} from '../postgres/schema.ts'
import { KEY, type Manifest, refuseUnreadable, tableFile } from './archive.ts'
import { RowCounter } from './row-counter.ts'

type RestoreOptions = {
  owner: Connect
  key: Buffer
  folder: string
  manifest: Manifest
  say: (line: string) => void
  /** Called last, just before the COMMIT. */
  onRestored: () => void
  release?: Release
}

const UNKNOWN_TABLES =
  'This version of Boxtree does not know the tables of the backup; restore it with the version that made it.'

/**
 * Makes the schema of a backup in an empty database and copies its rows, in one transaction: an interrupted restore
 * leaves the database empty. The schema is the backup's; `migrate` then brings it forward.
 * @throws StartFault when the database is not empty, the backup's schema is unknown, the backup is damaged, or the key
 * is not the one that its clients' passwords were sealed with
 */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { owner, key, folder, manifest, onRestored, release = RELEASE } = options
  const origin = originOf(manifest.schema, release)
  if (!origin) throw new StartFault(UNKNOWN_TABLES)
  await withPool(owner, { max: 1, isLong: true }, async (sql) => {
    // The backup is still there, so the rows need not wait for a standby, which may not have been made yet.
    await sql`set synchronous_commit = local`
    await begin(sql, async (sql) => {
      await sql`select pg_advisory_xact_lock(${LOCKS.schema})`
      await refuseFilled(sql)
      await makeTablesOf(sql, origin, release)
      await fill(sql, options)
      await storeOrCheckKey(sql, createSeal(key), madeWithAnother(folder))
      onRestored()
    })
    await sql`analyze`
  })
}

function madeWithAnother(folder: string): string {
  return `The backup was made with another key than its ${KEY} (or, if it has none, SECRET_KEY or the ${KEY} in DATA_DIR). Nothing was restored. Put the key that it was made with into ${folder} as ${KEY}.`
}

async function refuseFilled(sql: Sql): Promise<void> {
  if (await hasTables(sql)) {
    throw new StartFault(
      'The database is not empty, and nothing was changed in it; restore into an empty DATA_DIR, or into a new database.',
    )
  }
}

/** Copies the rows without triggers, which did their work when the rows were first written. */
async function fill(sql: Sql, { folder, manifest, say }: RestoreOptions): Promise<void> {
  const tables = await tablesFor(sql, manifest, say)
  const references = await setReferencesAside(sql)
  for (const { name } of tables) await sql`alter table ${sql(name)} disable trigger user`
  for (const table of tables) await copyIn(sql, table, folder, say)
  // What is searched is written in small letters, and another database may know others.
  await sql`
    update directory d set text = search_text(c.name, c.description, c.mac, c.phone) from client c
    where c.id = d.client and d.text <> search_text(c.name, c.description, c.mac, c.phone)`
  for (const { name } of tables) await sql`alter table ${sql(name)} enable trigger user`
  // A session may have ended since the backup: its password changed, or its person signed out.
  await sql`truncate session, export_ticket`
  say('Checking that every row finds those that it names')
  try {
    for (const put of references) await sql.unsafe(put)
  } catch (error) {
    throw isOfRows(error) ? refusedRows(error) : error
  }
  // One that is not there, as of a table that was left out, is passed over.
  for (const { name, value } of manifest.sequences) await sql`select setval(to_regclass(${name}), ${value})`
  // Earlier versions left out a next number that was set by hand.
  await countOn(sql)
}

/**
 * Returns the tables of a backup that were made for it. Versions before have taken those of others along, which need not
 * be there.
 */
async function tablesFor(
  sql: Sql,
  { tables }: Manifest,
  say: (line: string) => void,
): Promise<Manifest['tables']> {
  const made = await sql<{ name: string }[]>`
    select relname as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind = 'r' and not ${isOfExtension(sql)}`
  const names = new Set(made.map(({ name }) => name))
  const others = tables.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  if (others.length > 0)
    say(`The restore leaves out the tables that are not Boxtree's: ${others.join(', ')}.`)
  return tables.filter(({ name }) => names.has(name))
}

/** Drops the foreign keys, so that tables are copied in any order. Returns the statements that add them again. */
async function setReferencesAside(sql: Sql): Promise<string[]> {
  const references = await sql<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by oid`
  for (const { table, name } of references) await sql.unsafe(`alter table ${table} drop constraint ${name}`)
  return references.map(({ table, name, definition }) => {
    return `alter table ${table} add constraint ${name} ${definition}`
  })
}

async function copyIn(
  sql: Sql,
  { name, columns, rows, sha256 }: Manifest['tables'][number],
  folder: string,
  say: (line: string) => void,
): Promise<void> {
  const file = tableFile(folder, name)
  const count = new RowCounter(name, say)
  const hash = createHash('sha256')
  const copy = await sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable()
  try {
    await pipeline(
      createReadStream(file),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          hash.update(chunk)
          yield chunk
        }
      },
      createGunzip(),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          count.add(chunk)
          yield chunk
        }
        // Before COPY ends, so that no row of a damaged file is accepted.
        if (count.rows !== rows || hash.digest('hex') !== sha256) throw new DamagedFile()
      },
      copy,
    )
  } catch (error) {
    refuseUnreadable(folder, error)
    // A damaged file may make rows that PostgreSQL refuses before its end tells of the damage.
    if (isOfRows(error) && (await digestOf(file)) === sha256) throw refusedRows(error)
    if (!(error instanceof DamagedFile) && !isOfFile(error) && !isOfRows(error)) throw error
    throw new StartFault(`${file} is not as it was written; nothing was restored. Use another backup.`)
  }
  count.end()
}

class DamagedFile extends Error {}

/** Whether PostgreSQL refused rows: their form, two of one key, or one that names another which is not there. */
function isOfRows(error: unknown): error is Error {
  return /^2[23]/.test(codeOf(error))
}

/** Says why the rows of an undamaged backup are refused. The error itself quotes one, which nobody should see. */
function refusedRows({ message }: Error): StartFault {
  return new StartFault(
    `The backup cannot be restored: ${message}. Nothing was restored. Use another backup.`,
  )
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** Whether an error means that the file is missing, on a failing disk, or not valid gzip. */
function isOfFile(error: unknown): boolean {
  return /^(Z_|ENOENT|EISDIR|EIO)/.test(codeOf(error))
}
