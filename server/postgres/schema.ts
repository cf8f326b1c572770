import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../config.ts'
import type { Sql } from './pool.ts'

/** A schema: the files that make it, in the order in which they are applied to an empty database. */
export interface Schema {
  files: readonly SchemaFile[]
  /** A digest of the names and checksums of its files, by which schemas are told apart. */
  fingerprint: string
}

export interface SchemaFile {
  name: string
  checksum: string
  text: string
}

const FOLDER = join(import.meta.dirname, '../../db')

/** The schema that this version needs. */
export const PRESENT = schemaOf(
  FOLDER,
  ['accounts', 'clients', 'boxes', 'channels', 'ledger', 'lists', 'tree', 'statistics', 'system'].map(asFile),
  checksumOfStatements,
)

const OLD_FOLDER = join(FOLDER, 'thirteen-steps')

/** The schema of version 0.1, which the bridge brings to the present one. A backup of it is first restored into it. */
export const THIRTEEN_STEPS = schemaOf(OLD_FOLDER, readdirSync(OLD_FOLDER).sort(), digest)

export const BRIDGE = readSql(FOLDER, 'bridge.sql')
export const GRANTS = readSql(FOLDER, 'grants.sql')

/** Returns the fingerprint of a schema from the names and checksums of its files. */
export function fingerprintOf(files: readonly Pick<SchemaFile, 'name' | 'checksum'>[]): string {
  return digest(files.map(({ name, checksum }) => `${name} ${checksum}\n`).join(''))
}

/**
 * Returns the schema that has a fingerprint.
 * @param holder what has the fingerprint, for the sentence of the fault
 * @throws StartFault where no schema that this version knows has it
 */
export function knownSchema(fingerprint: string, holder: 'database' | 'backup'): Schema {
  const schema = [PRESENT, THIRTEEN_STEPS].find((known) => known.fingerprint === fingerprint)
  if (schema) return schema
  throw new StartFault(
    `This program does not know the schema of the ${holder}; run the version of Boxtree that wrote it.`,
  )
}

/** Returns the schema of a database; null where it has no tables of ours. @throws StartFault where it is unknown */
export async function findSchema(sql: Sql): Promise<Schema | null> {
  const [there] = await sql<{ present: boolean; stepwise: boolean; account: boolean }[]>`
    select to_regclass('public.setup') is not null as present, to_regclass('public.migration') is not null as stepwise,
      to_regclass('public.account') is not null as account`
  if (there?.present) {
    const [row] = await sql<
      { fingerprint: string }[]
    >`select value as fingerprint from setup where key = 'schema'`
    return knownSchema(row?.fingerprint ?? '', 'database')
  }
  if (there?.stepwise) {
    const applied = await sql<SchemaFile[]>`select name, checksum from migration order by name`
    return knownSchema(fingerprintOf(applied), 'database')
  }
  return there?.account ? knownSchema('', 'database') : null
}

/** Makes the tables of a schema in an empty database, in the caller's transaction. */
export async function makeSchema(sql: Sql, schema: Schema): Promise<void> {
  for (const { text } of schema.files) await sql.unsafe(text)
  if (schema === PRESENT) return remember(sql)
  await sql`
    create table migration (name text primary key, checksum text not null, applied timestamptz not null default now())`
  for (const { name, checksum } of schema.files) {
    await sql`insert into migration (name, checksum) values (${name}, ${checksum})`
  }
}

/** Brings the thirteen-step schema to the present one, in the caller's transaction. */
export async function crossBridge(sql: Sql): Promise<void> {
  await sql.unsafe(BRIDGE)
  await remember(sql)
}

async function remember(sql: Sql): Promise<void> {
  await sql`insert into setup (key, value) values ('schema', ${PRESENT.fingerprint})`
}

/** Returns the checksum of a file without its comments and empty lines, so that a corrected comment makes no other schema. */
export function checksumOfStatements(text: string): string {
  return digest(text.replace(/^[ \t]*(--.*)?\n/gm, ''))
}

function schemaOf(folder: string, names: readonly string[], checksumOf: (text: string) => string): Schema {
  const files = names.map((name) => {
    const text = readSql(folder, name)
    return { name, text, checksum: checksumOf(text) }
  })
  return { files, fingerprint: fingerprintOf(files) }
}

function asFile(name: string): string {
  return `${name}.sql`
}

/** Reads a file with the line ends as they were written, whatever a checkout changed them to. */
function readSql(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
