import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../config.ts'
import { begin } from './begin.ts'
import { type Connect, openPool, type Sql } from './pool.ts'

export interface MigrateOptions {
  server: Connect
  owner: Connect
  /** Tells the person at the terminal what goes on. */
  say: (line: string) => void
  /** The folder of the migrations, and of grants.sql. */
  folder?: string
}

const FOLDER = join(import.meta.dirname, '../../db')

/** Two programs that migrate one database go one after the other; any number that nothing else locks. */
export const MIGRATING = 0x6d696772

/**
 * Brings the schema to this program's state, as the owner, and states anew what the server's role may do.
 * @throws StartFault when the database holds a migration that this program does not know, or knows differently
 */
export async function migrate({ server, owner, say, folder = FOLDER }: MigrateOptions): Promise<void> {
  const role = await serverRole(server)
  const sql = openPool(owner, { max: 1, patient: true, lasting: true })
  try {
    await sql`select pg_advisory_lock(${MIGRATING})`
    await prepare(sql)
    const applied = await sql<Applied[]>`select name, checksum from migration order by name`
    const { pending } = split(applied, 'database', folder)
    for (const migration of pending) {
      say(`Migrating: ${migration.name}`)
      await begin(sql, (transaction) => apply(transaction, migration))
    }
    await grant(sql, folder, role)
    await warnOfOneRole(sql, role, say)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** A migration as a database, or a backup of one, remembers it. */
export interface Applied {
  name: string
  checksum: string
}

export interface Migration extends Applied {
  text: string
}

/** Makes the table that remembers what was applied, where it is missing. */
export async function prepare(sql: Sql): Promise<void> {
  await sql`
    create table if not exists migration (
      name text primary key,
      checksum text not null,
      applied timestamptz not null default now()
    )`
}

async function serverRole(server: Connect): Promise<string> {
  const sql = openPool(server, { max: 1 })
  try {
    const [row] = await sql<{ role: string }[]>`select current_user as role`
    return row?.role ?? ''
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/**
 * Parts this program's migrations into those that were applied and those that are still to be.
 * @param applied in their order
 * @param holder what remembers them, for the person who reads of a fault
 * @throws StartFault unless what was applied is exactly the first of what this program brings
 */
export function split(
  applied: readonly Applied[],
  holder: 'database' | 'backup',
  folder = FOLDER,
): { done: Migration[]; pending: Migration[] } {
  const files = readMigrations(folder)
  for (const [at, { name, checksum }] of applied.entries()) {
    const file = files.find((migration) => migration.name === name)
    if (!file) {
      throw new StartFault(
        `The ${holder} is newer than this program: it holds the migration ${name}. Run the newer program, or restore an older backup.`,
      )
    }
    if (file.checksum !== checksum) {
      throw new StartFault(`The migration ${name} was changed after it was applied; put the original back.`)
    }
    if (file !== files[at]) {
      throw new StartFault(
        `The migration ${files[at]?.name} comes before ${name}, which is applied; number it higher.`,
      )
    }
  }
  return { done: files.slice(0, applied.length), pending: files.slice(applied.length) }
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{3}-.+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

/** Applies one migration, and remembers it, in the transaction that it is given. */
export async function apply(sql: Sql, { name, text, checksum }: Migration): Promise<void> {
  await sql.unsafe(text)
  await sql`insert into migration (name, checksum) values (${name}, ${checksum})`
}

async function grant(sql: Sql, folder: string, role: string): Promise<void> {
  const text = readFileSync(join(folder, 'grants.sql'), 'utf8')
  const quoted = `"${role.replaceAll('"', '""')}"`
  await begin(sql, (transaction) => transaction.unsafe(text.replaceAll(':server_role', quoted)))
}

async function warnOfOneRole(sql: Sql, role: string, say: (line: string) => void): Promise<void> {
  const [row] = await sql<{ owner: string }[]>`select current_user as owner`
  if (row?.owner === role) {
    say(
      `Warning: the console runs as ${role}, who owns the tables, so the database cannot guard the ledger against it; give DATABASE_OWNER_URL an owner of its own.`,
    )
  }
}
