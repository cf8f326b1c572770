import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../config.ts'
import type { Fragment, Sql } from './pool.ts'

/** A schema: the files that make it, in the order in which they are applied to an empty database. */
interface Schema {
  files: readonly SchemaFile[]
  /** A digest of the names and checksums of its files, by which schemas are told apart. */
  fingerprint: string
  /** The last step that its files contain. */
  step: number
}

interface SchemaFile {
  name: string
  checksum: string
  text: string
}

/** A change of the schema after 0.2.0, which is applied once, in order, and never undone. */
export interface Step {
  number: number
  text: string
  /** Whether versions that do not know it cannot run on the changed schema. Otherwise it only adds to it. */
  contracts: boolean
}

/** What one version of the program knows of schemas. */
export interface Release {
  /** The one that it needs. */
  schema: Schema
  /** All from 0.2.0 to it. */
  steps: readonly Step[]
  /** Those of versions before, from which it can bring a database forward. */
  before: readonly Schema[]
  grants: string
}

const FOLDER = join(import.meta.dirname, '../../db')

const STEPS = stepsIn(join(FOLDER, 'steps'))

/** The files of the present schema. */
const FILES = [
  'accounts',
  'clients',
  'boxes',
  'channels',
  'ledger',
  'lists',
  'tree',
  'statistics',
  'system',
].map((name) => `${name}.sql`)

/** The schema that this version needs. */
export const PRESENT = presentIn(FOLDER, STEPS.length)

/** The schemas of released versions that differ from the present one. A backup of one is first restored into it. */
const RELEASED = releasedIn(join(FOLDER, 'released'))

const OLD_FOLDER = join(FOLDER, 'before-0.2.0')

/** The schema of version 0.1. */
export const BEFORE_020 = schemaOf(OLD_FOLDER, readdirSync(OLD_FOLDER).sort(), {
  step: -1,
  checksumOf: digest,
})

const FROM_BEFORE_020 = readSql(FOLDER, 'from-before-0.2.0.sql')

/** The names of all tables that this version or one before it has made. */
export const KNOWN_TABLES: ReadonlySet<string> = new Set(
  [...[PRESENT, ...RELEASED, BEFORE_020].flatMap(({ files }) => files), ...STEPS].flatMap(({ text }) =>
    [...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name = '']) => name),
  ),
)

/** What this version knows. */
export const RELEASE: Release = {
  schema: PRESENT,
  steps: STEPS,
  before: [...RELEASED, BEFORE_020],
  grants: readSql(FOLDER, 'grants.sql'),
}

/**
 * The tables that the main branch has made since the last release, by their fingerprints: those of that release with so
 * many of the steps. Who runs a clone of the branch has them, and is brought forward as well.
 */
export const BETWEEN_RELEASES: Readonly<Record<string, number>> = {
  '7182afe95765313411fb1d2611c5be3024209b555574bca8362ab377082f22ce': 1,
  ce484773faa184ba93739a628a909c1d1b3c5f6ab18537d44ae9e88c2a7a1434: 2,
  fd62ad627fe7ffd0824d2b83e6954e3a0f571950183445501190e2c774ef4a8c: 3,
  '60cae041d8947d9b07ea01d98815bb9131913c8d45404ffb2f3e2006b8f49667': 4,
  '5a50d80365cc4c2c953b037aba0ade8e66c027215cbb405f65caf5822c47f46a': 5,
  '0490440668aa65bc06e5f2b54f6ee863be42667f2df6bc8512cef6de1fd8e012': 6,
  ac633277ffe4c5223621971d8a1cdae4298c0c0b1b04a0d35d1625e477bafe55: 11,
  '5f93c00709d7785f02c43e3b40ec4e2e662b73407b37bfdad4a85490de6c9855': 12,
  dc04801b3a689f318a6e0c316d77c07abde18697cc7a7c362a4ed4fee402e047: 13,
  e94943010643fbc76da21a6bceb472dd5d79b32ef69c6fae9bcffba8163971a4: 14,
  '90aa82c2491df2de5058419f04c291138a424f9bfeda02ac7129fc257924990e': 15,
  '0c073535478ff1696e9db57c8dc6c09407caa157f048772aa5d7eabb6b58af82': 16,
  '8245d2e8fe9d799334b6f908b30442bfaf72d349d91f6c6b40fc2c61bc8bfe26': 17,
  '02f0730b3aec1bad39616d15b13d8921800a7f083d097358c9f7d49b662b63cc': 18,
  // Tables of the commits in which the text of step 018 was changed by mistake. Step 019 makes the same change.
  '3919de5f1825040a6f05e7d7cedd943a5e75c271d3ab4250e1cfc30bfe32dba1': 18,
  '25d8b3394b7e3e873959fe7a5a5d9b446b4dfe1392d024f37cbd42367c1d7e0a': 19,
  c537a3b87b64a4bfa971a9c54e13462001ddfb5992a5874190119ff3a5347a66: 20,
  '1ab42c382a4cdaec824519e30e74a93b87d7a20b66ebed3434ef035c7adc0da8': 22,
  '2e6d5995dc1cf45c713230e871fea745596d4af7fc46b152cf285f5b51daf509': 24,
  '5ae0266f3838cab0e026d87bf27c102e217aa5409611eea5bceeb78a9664c6ef': 25,
  ea2264ab6e87103f6de69785c2e9679c9fef173e6d51c36c3397545e9ad2531a: 26,
  ef9fd1deff350e91685ef9c3112b33c47273792fa3d336f34f2f533bb2e320c8: 27,
  a89372b3fb50ca8df62c88fb8273e68bec51a650d662a88d98ebcd88fdd938b2: 28,
  b6e62b91572e63fb93fa02af5bd9428755993a5e270454f7d7d7aeb0f19a8b42: 29,
  '2c16eebaa647181b95890c373ac0c923d088e5d4b1823e3f16125c0ced271ff6': 31,
  '72bb983fb19f500721b4d9536df95db8919622e9eb46b6c382b90a20ccea7e24': 32,
  '406426a62129ab981f0864f8376171cc7bf57f995c792493f53324cefa4ed306': 33,
  d71baeee7735756d450f2f7e2b8cd36001eb12e091ca42ac078671531c007422: 34,
  '1eab4a06e02fbeb093daa9bcd36b24b7bde2734b36259191d064fd50f5c4b52e': 35,
  '17a16aeaa8eb7051cd0e15872a91ef85d2a01f78f4b403ab365bd2ba112f8b37': 36,
}

/** Returns the fingerprint of a schema from the names and checksums of its files. */
export function fingerprintOf(files: readonly Pick<SchemaFile, 'name' | 'checksum'>[]): string {
  return digest(files.map(({ name, checksum }) => `${name} ${checksum}\n`).join(''))
}

/** The schema that a database was made with, and the steps that were applied to it. */
type Origin = { schema: Schema; steps: readonly Step[] }

/** Returns a schema that a release can make, by its fingerprint. */
function makeable({ schema, before }: Release, fingerprint: string): Schema | undefined {
  return [schema, ...before].find((known) => known.fingerprint === fingerprint)
}

/**
 * Names the tables of a backup by what they were made with. Where they are between two versions, or a newer one's, the
 * last step that was applied to them is added: `FINGERPRINT+STEP`.
 */
export function nameTables({ fingerprint, step }: Standing, release: Release = RELEASE): string {
  return makeable(release, fingerprint)?.step === step ? fingerprint : `${fingerprint}+${step}`
}

/** Returns how a release makes the tables of a backup; null where it cannot. */
export function originOf(name: string, release: Release = RELEASE): Origin | null {
  const [fingerprint = '', step] = name.split('+')
  const between = BETWEEN_RELEASES[fingerprint]
  const schema = makeable(release, fingerprint) ?? (between === undefined ? undefined : RELEASED.at(-1))
  if (!schema) return null
  const last = step === undefined ? (between ?? schema.step) : Number(step)
  const steps = release.steps.filter(({ number }) => number > schema.step && number <= last)
  return steps.length === last - schema.step ? { schema, steps } : null
}

/**
 * How a database stands: the files that made it, the last step that was applied, and the last that others must know.
 */
export type Standing = { fingerprint: string; step: number; needs: number }

/** Returns how a database stands; null where it has no tables of ours. Those of others may have our names. */
export async function standingOf(sql: Sql): Promise<Standing | null> {
  const has = (table: string, ...columns: string[]) => sql`
    ${columns}::text[] <@ (
      select array_agg(attname::text) from pg_attribute
      where attrelid = to_regclass(${`public.${table}`}) and attnum > 0 and not attisdropped
    )`
  const [there] = await sql<Record<'present' | 'stepwise' | 'account', boolean | null>[]>`
    select ${has('setup', 'key', 'value')} as present, ${has('migration', 'name', 'checksum')} as stepwise,
      ${has('account', 'superreseller', 'reseller')} as account`
  if (there?.present) {
    const rows = await sql<{ key: string; value: string }[]>`select key, value from setup`
    const {
      schema = '',
      step = '0',
      needs = '0',
    } = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
    return { fingerprint: schema, step: Number(step), needs: Number(needs) }
  }
  const old = { step: BEFORE_020.step, needs: BEFORE_020.step }
  if (there?.stepwise) {
    const applied = await sql<SchemaFile[]>`select name, checksum from migration order by name`
    return { fingerprint: fingerprintOf(applied), ...old }
  }
  return there?.account ? { fingerprint: '', ...old } : null
}

/** Whether there are tables, ours or others, but for those of PostgreSQL's extensions. */
export async function hasTables(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ filled: boolean }[]>`
    select exists (
      select from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not ${isOfExtension(sql)}
    ) as filled`
  return row?.filled ?? false
}

/** Whether a table, which is `c` in the statement, is one of an extension. */
export function isOfExtension(sql: Sql): Fragment {
  return sql`
    exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`
}

/**
 * Returns whether a schema is the one that a release needs, an older one that it can bring forward, or a newer one that
 * it can run on.
 * @throws StartFault where it is none of these
 */
export function ageOf(
  { fingerprint, step, needs }: Standing,
  { schema, before }: Release,
): 'present' | 'older' | 'newer' {
  if (step > schema.step) {
    if (needs <= schema.step) return 'newer'
    throw new StartFault(
      'A newer version of Boxtree has removed from the tables what this one needs; start the newer one.',
    )
  }
  if (step === schema.step && fingerprint === schema.fingerprint) return 'present'
  // One whose way forward was interrupted has the fingerprint of where it began.
  const began =
    before.find((known) => known.fingerprint === fingerprint)?.step ?? BETWEEN_RELEASES[fingerprint]
  if (began !== undefined && began <= step && step < schema.step) return 'older'
  throw new StartFault(
    'This program does not know the schema of the database; run the version of Boxtree that wrote it.',
  )
}

/** Makes the tables of a schema in an empty database, in the caller's transaction. */
export async function makeSchema(sql: Sql, schema: Schema, steps: readonly Step[] = STEPS): Promise<void> {
  await requireTrigrams(sql)
  for (const { text } of schema.files) await sql.unsafe(text)
  if (schema !== BEFORE_020) {
    const { fingerprint, step } = schema
    return remember(sql, { fingerprint, step, needs: neededFrom(steps, step) })
  }
  await sql`
    create table migration (name text primary key, checksum text not null, applied timestamptz not null default now())`
  for (const { name, checksum } of schema.files) {
    await sql`insert into migration (name, checksum) values (${name}, ${checksum})`
  }
}

/** Refuses the extension of searches in a schema of its own, where nothing of ours looks for it. @throws StartFault */
async function requireTrigrams(sql: Sql): Promise<void> {
  const [elsewhere] = await sql<{ schema: string }[]>`
    select extnamespace::regnamespace::text as schema from pg_extension
    where extname = 'pg_trgm' and extnamespace <> 'public'::regnamespace`
  if (elsewhere)
    throw new StartFault(
      `The extension pg_trgm of this database is in the schema ${elsewhere.schema}. Move it: alter extension pg_trgm set schema public.`,
    )
}

/** Makes the tables of a backup in an empty database, in the caller's transaction. */
export async function makeTablesOf(sql: Sql, { schema, steps }: Origin, release: Release): Promise<void> {
  await makeSchema(sql, schema, release.steps)
  for (const step of steps) {
    // Nobody else is in these tables, and a transaction allows nothing concurrent.
    await sql.unsafe(step.text.replaceAll(/\bconcurrently\b/gi, ''))
    await noteStep(sql, step, release)
  }
}

/** Brings the schema before 0.2.0 to that of 0.2.0, in the caller's transaction. */
export async function bringTo020(sql: Sql, { schema, before }: Release): Promise<void> {
  await sql.unsafe(FROM_BEFORE_020)
  const reached = [schema, ...before].find(({ step }) => step === 0)
  if (!reached) throw new Error('The schema of 0.2.0 is not known.')
  await remember(sql, { fingerprint: reached.fingerprint, step: 0, needs: 0 })
}

/** Notes that a step was applied, in the caller's transaction. After the last one the database is as if newly made. */
export async function noteStep(sql: Sql, { number }: Step, { schema, steps }: Release): Promise<void> {
  const standing = await standingOf(sql)
  const isLast = number === schema.step
  const fingerprint = isLast ? schema.fingerprint : (standing?.fingerprint ?? '')
  await remember(sql, { fingerprint, step: number, needs: neededFrom(steps, number) })
}

async function remember(sql: Sql, { fingerprint, step, needs }: Standing): Promise<void> {
  for (const [key, value] of Object.entries({ schema: fingerprint, step, needs }))
    await sql`
      insert into setup (key, value) values (${key}, ${String(value)})
      on conflict (key) do update set value = excluded.value`
}

/** Returns the last step up to a number that a version must know to run on the schema. */
function neededFrom(steps: readonly Step[], upTo: number): number {
  return steps.findLast(({ number, contracts }) => contracts && number <= upTo)?.number ?? 0
}

/**
 * Returns the checksum of a file without its comments and empty lines, so that a corrected comment makes no other
 * schema.
 */
export function checksumOfStatements(text: string): string {
  return digest(text.replace(/^[ \t]*(--.*)?\n/gm, ''))
}

/** Returns the schema of a folder that has files of the present one's names. */
function presentIn(folder: string, step: number): Schema {
  const names = FILES.filter((name) => existsSync(join(folder, name)))
  return schemaOf(folder, names, { step, checksumOf: checksumOfStatements })
}

/**
 * Returns the schemas of released versions, one a folder, which is named by its last step and its version: `000-0.2.0`.
 */
function releasedIn(folder: string): Schema[] {
  return namesIn(folder).map((name) => presentIn(join(folder, name), Number.parseInt(name, 10)))
}

function schemaOf(
  folder: string,
  names: readonly string[],
  { step, checksumOf }: { step: number; checksumOf: (text: string) => string },
): Schema {
  const files = names.map((name) => {
    const text = readSql(folder, name)
    return { name, text, checksum: checksumOf(text) }
  })
  return { files, fingerprint: fingerprintOf(files), step }
}

/** Returns the steps of a folder, which has none before the first. */
function stepsIn(folder: string): Step[] {
  return namesIn(folder).map((name, at) => stepOf(name, readSql(folder, name), at + 1))
}

/** Returns the names in a folder, in order; none where it is not there. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** @throws where its name or its first line is not that of a step */
export function stepOf(name: string, text: string, number: number): Step {
  if (!new RegExp(`^${String(number).padStart(3, '0')}-[a-z0-9-]+\\.sql$`).test(name))
    throw new Error(`The step ${number} is called ${name}, which should begin with its number.`)
  const kind = /^-- (Expands|Contracts): /.exec(text)?.[1]
  if (!kind) throw new Error(`The first line of ${name} does not say whether it expands or contracts.`)
  return { number, text, contracts: kind === 'Contracts' }
}

/** Reads a file with the line ends as they were written, whatever a checkout changed them to. */
function readSql(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
