import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { createGzip } from 'node:zlib'
import { requireKey } from '../access/key-check.ts'
import { createSeal } from '../access/seal.ts'
import { writeNewKeyFile } from '../access/secret-key.ts'
import { StartFault } from '../config.ts'
import { beginAndAwait } from '../postgres/begin.ts'
import { codeOf, isDiskFull, isLost } from '../postgres/errors.ts'
import { freeSpaceOf, putInPlace, writeDurably } from '../postgres/files.ts'
import { prepareForLongWork, type Sql } from '../postgres/pool.ts'
import {
  ageOf,
  isOfExtension,
  KNOWN_TABLES,
  nameTables,
  RELEASE,
  type Standing,
  standingOf,
} from '../postgres/schema.ts'
import { notedZone } from '../postgres/time-zone.ts'
import { KEY, MANIFEST, type Manifest, tableFile } from './archive.ts'
import { type Reserve, reservedOn } from './reserve.ts'
import { RowCounter } from './row-counter.ts'
import { openPrimary, openSource, type Source, type SourceOptions } from './source.ts'

export type TakeOptions = Pick<SourceOptions, 'owner' | 'say'> & {
  key: Buffer
  timeZone: string
  folder: string
  /** What the backup must leave free; nothing where it is left out. */
  reserve?: Reserve | null
  /** Interrupts the backup; no file remains then. */
  signal?: AbortSignal
  /** Returns the free bytes of a folder's disk. */
  free?: (folder: string) => number
}

/**
 * Writes a snapshot of the database into a new folder, while the console may be running. The folder is called
 * `.partial` until it is complete. A standby ends a backup that keeps it from following the primary, as when a
 * migration changes the tables: no lock holds the primary up there, and it then begins again from the primary.
 * @throws StartFault when there is nothing to back up, the folder is there, the key is another, or the disk has no room
 */
export async function takeBackup(options: TakeOptions): Promise<Manifest> {
  const { folder, say } = options
  if (existsSync(folder)) throw new StartFault(`${folder} is there already; name another folder.`)
  const source = await openSource(options)
  try {
    return await takeFrom(source, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    const isEnded = codeOf(error) === CONFLICT_WITH_RECOVERY || isLost(error)
    if (!source.isStandby || !isEnded) throw error
    say(
      'The standby ended the backup, which begins again from the primary. If it does so often, set hot_standby_feedback = on there.',
    )
    return takeFrom(openPrimary(options), options)
  }
}

async function takeFrom({ sql }: Source, options: TakeOptions): Promise<Manifest> {
  const { key, folder } = options
  const draft = `${folder}.partial`
  try {
    await prepareForLongWork(sql)
    await requireSchema(sql)
    await requireKey(sql, createSeal(key))
    makeFolder(draft)
    try {
      const manifest = await copyAll(sql, draft, options)
      writeNewKeyFile(join(draft, KEY), key)
      writeDurably(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
      putInPlace(draft, folder)
      return manifest
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      if (!isDiskFull(error)) throw error
      throw new StartFault(
        `There is no room for the backup where ${folder} was to be; nothing of it remains. Free space there, or name a folder on another disk.`,
      )
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function requireSchema(sql: Sql): Promise<Standing> {
  const found = await standingOf(sql)
  if (!found) throw new StartFault('There is nothing to back up yet; start the console first.')
  ageOf(found, RELEASE)
  return found
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    throw new StartFault(
      existsSync(folder)
        ? `${folder} is there: a backup that is under way, or one that was killed. Remove it, or name another folder.`
        : `${folder} cannot be made; name a folder where you may write.`,
    )
  }
}

/** Copies every table of one moment. Where a migration changes the tables at that moment, it begins again. */
async function copyAll(sql: Sql, folder: string, options: TakeOptions): Promise<Manifest> {
  for (;;) {
    const expected = await tablesOf(sql, await requireSchema(sql))
    const manifest = await copySnapshot(sql, folder, options, expected)
    if (manifest) {
      sayLeftOut(expected, options)
      return manifest
    }
  }
}

function sayLeftOut({ others }: Tables, { say }: TakeOptions): void {
  if (others.length === 0) return
  say(
    `The backup leaves out the tables that are not Boxtree's: ${others.join(', ')}. Back those up separately.`,
  )
}

/**
 * Copies these tables if they are all that there are. They are locked before the snapshot is taken, so that a migration
 * is either in it or waits for its end.
 */
async function copySnapshot(
  sql: Sql,
  folder: string,
  options: TakeOptions,
  expected: Tables,
): Promise<Manifest | null> {
  const { key, timeZone, signal } = options
  const copy = async (sql: Sql): Promise<Manifest | null> => {
    await sql`set transaction isolation level repeatable read`
    for (const { name } of expected.ours) {
      signal?.throwIfAborted()
      await sql`lock table ${sql(name)} in access share mode`
    }
    const [moment] = await sql<{ taken: string }[]>`select now() as taken`
    const standing = await requireSchema(sql)
    const { ours } = await tablesOf(sql, standing)
    if (!isDeepStrictEqual(ours, expected.ours)) return null
    // Within the snapshot, because the key may just have been rotated.
    await requireKey(sql, createSeal(key))
    const written: Manifest['tables'] = []
    for (const table of expected.ours)
      written.push({ ...table, ...(await copyOut(sql, table, folder, options)) })
    return {
      format: 2,
      taken: moment?.taken ?? '',
      // A command that makes a backup need not know the zone of the console.
      time_zone: (await notedZone(sql)) ?? timeZone,
      schema: nameTables(standing),
      tables: written,
      // Sequences are outside the snapshot: newer values leave a gap in the numbers, as a failed transaction does.
      sequences: await numbersOf(sql, ours),
    }
  }
  try {
    return await beginAndAwait(sql, copy, 'read only')
  } catch (error) {
    // A migration has just dropped or renamed one of the tables.
    if (codeOf(error) === UNDEFINED_TABLE) return null
    throw error
  }
}

const UNDEFINED_TABLE = '42P01'
const CONFLICT_WITH_RECOVERY = '40001'

type Table = { name: string; columns: string[] }

/** The tables that a backup has, and the names of those that it leaves out because others have made them. */
type Tables = { ours: Table[]; others: string[] }

/**
 * Neither in the backup nor named are a table that a crash may empty, which no standby has, the log of changes, whose
 * transactions no other database has, and the tables of extensions.
 */
async function tablesOf(sql: Sql, standing: Standing): Promise<Tables> {
  const found = await sql<(Table & { own: boolean })[]>`
    select relname as name, array_agg(attname::text order by attnum) as columns, pg_has_role(relowner, 'usage') as own
    from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
      and relname not in ('setup', 'migration', 'box_change') and not ${isOfExtension(sql)}
    group by relname, relowner order by relname`
  // A newer version may have made tables that this one does not know.
  const isNewer = ageOf(standing, RELEASE) === 'newer'
  const isOurs = ({ name, own }: (typeof found)[number]) => KNOWN_TABLES.has(name) || (isNewer && own)
  return {
    ours: found.filter(isOurs).map(({ name, columns }) => ({ name, columns })),
    others: found.filter((table) => !isOurs(table)).map(({ name }) => name),
  }
}

/**
 * Returns the number before the next one of each sequence, whether a row got it or the next one was set by hand. Those
 * that begin at 1 are left out.
 */
async function numbersOf(sql: Sql, tables: Table[]): Promise<Manifest['sequences']> {
  const sequences = await sql<{ name: string }[]>`
    select sequence.relname as name from pg_class sequence
    join pg_depend on classid = 'pg_class'::regclass and objid = sequence.oid and deptype in ('a', 'i')
    join pg_class on pg_class.oid = refobjid and pg_class.relname = any (${tables.map(({ name }) => name)}::text[])
    where sequence.relnamespace = 'public'::regnamespace
      and case when sequence.relkind = 'S' then has_sequence_privilege(sequence.oid, 'select') end order by 1`
  const numbers: Manifest['sequences'] = []
  for (const { name } of sequences) {
    const [number] = await sql<
      { value: number }[]
    >`select last_value - (not is_called)::int as value from ${sql(name)}`
    if (number && number.value > 0) numbers.push({ name, value: number.value })
  }
  return numbers
}

async function copyOut(
  sql: Sql,
  { name, columns }: Table,
  folder: string,
  { say, signal, reserve = null, free = freeSpaceOf }: TakeOptions,
): Promise<{ rows: number; sha256: string }> {
  signal?.throwIfAborted()
  const count = new RowCounter(name, say)
  const hash = createHash('sha256')
  const kept = reservedOn(folder, reserve)
  const copy = await sql`copy ${sql(name)} (${sql(columns)}) to stdout`.readable()
  // The driver pauses its socket while rows arrive too fast, and would not resume it after the last ones.
  copy.once('end', () => copy._read(0))
  try {
    await pipeline(
      gather(copy, count),
      createGzip({ level: 1 }),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          if (kept > 0 && free(folder) < kept) throw new NoRoom()
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(tableFile(folder, name), { flags: 'wx', mode: 0o600, flush: true }),
      { ...(signal && { signal }) },
    )
  } finally {
    // A connection that was not closed can send the next statement, such as a ROLLBACK, only after all rows were read.
    copy.resume()
    await finished(copy)
  }
  count.end()
  return { rows: count.rows, sha256: hash.digest('hex') }
}

/** The disk has room, but only what is kept free for the database. */
class NoRoom extends Error {
  /** The code that a full disk gives, so that both are handled alike. */
  readonly code = 'ENOSPC'
}

const CHUNK_BYTES = 64 * 1024

/** Joins rows into chunks: the driver yields one row at a time, and compressing each alone is slow. */
async function* gather(copy: Readable, count: RowCounter): AsyncGenerator<Buffer> {
  let rows: Buffer[] = []
  let bytes = 0
  for await (const row of copy.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    rows.push(row)
    bytes += row.length
    if (bytes < CHUNK_BYTES) continue
    const chunk = Buffer.concat(rows)
    rows = []
    bytes = 0
    count.add(chunk)
    yield chunk
  }
  const rest = Buffer.concat(rows)
  count.add(rest)
  yield rest
}
