import { begin } from './begin.ts'
import { LOCKS } from './locks.ts'
import { type Connect, openPool, type Sql } from './pool.ts'
import { crossBridge, findSchema, GRANTS, makeSchema, PRESENT } from './schema.ts'

export interface MigrateOptions {
  server: Connect
  owner: Connect
  /** Prints a line for the person at the terminal. */
  say: (line: string) => void
}

/**
 * Makes the present schema in an empty database, or brings an older one to it, as the owner, and grants the server's
 * role its rights again. Two programs that do so wait for each other.
 * @throws StartFault when the database has a schema that this program does not know
 */
export async function migrate({ server, owner, say }: MigrateOptions): Promise<void> {
  const role = await serverRole(server)
  const sql = openPool(owner, { max: 1, patient: true, lasting: true })
  try {
    await sql`select pg_advisory_lock(${LOCKS.schema})`
    await bringForward(sql, say)
    await grant(sql, role)
    await warnOfOneRole(sql, role, say)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function bringForward(sql: Sql, say: (line: string) => void): Promise<void> {
  const schema = await findSchema(sql)
  if (schema === PRESENT) return
  if (schema === null) {
    say('Making the tables')
    return begin(sql, (transaction) => makeSchema(transaction, PRESENT))
  }
  say('Bringing the tables of the older version forward')
  await begin(sql, crossBridge)
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

async function grant(sql: Sql, role: string): Promise<void> {
  const quoted = `"${role.replaceAll('"', '""')}"`
  await begin(sql, (transaction) => transaction.unsafe(GRANTS.replaceAll(':server_role', quoted)))
}

async function warnOfOneRole(sql: Sql, role: string, say: (line: string) => void): Promise<void> {
  const [row] = await sql<{ owner: string }[]>`select current_user as owner`
  if (row?.owner === role) {
    say(
      `Warning: the console runs as ${role}, who owns the tables, so the database cannot guard the ledger against it; give DATABASE_OWNER_URL an owner of its own.`,
    )
  }
}
