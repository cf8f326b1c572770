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
const LOCK = 0x6d696772

/**
 * Brings the schema to this program's state, as the owner, and states anew what the server's role may do.
 * @throws StartFault when the database holds a migration that this program does not know, or knows differently
 */
export async function migrate({ server, owner, say, folder = FOLDER }: MigrateOptions): Promise<void> {
  const role = await serverRole(server)
  const sql = openPool(owner, { max: 1, patient: true, lasting: true })
  try {
    await sql`select pg_advisory_lock(${LOCK})`
    await sql`
      create table if not exists migration (
        name text primary key,
        checksum text not null,
        applied timestamptz not null default now()
      )`
    const files = readMigrations(folder)
    const pending = refuseOthers(
      files,
      await sql<Applied[]>`select name, checksum from migration order by name`,
    )
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

interface Applied {
  name: string
  checksum: string
}

interface Migration extends Applied {
  text: string
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

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => /^\d{3}-.+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}

/** What was applied must be exactly the first of what this program brings; the rest is answered, to be applied. */
function refuseOthers(files: Migration[], applied: Applied[]): Migration[] {
  for (const [at, { name, checksum }] of applied.entries()) {
    const file = files.find((migration) => migration.name === name)
    if (!file) {
      throw new StartFault(
        `The database is newer than this program: it holds the migration ${name}. Run the newer program, or restore an older backup.`,
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
  return files.slice(applied.length)
}

async function apply(sql: Sql, { name, text, checksum }: Migration): Promise<void> {
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
