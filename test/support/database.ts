import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Connect, openPool, type Sql, withPool } from '../../server/postgres/pool.ts'
import { connectAs, TEMPLATE } from './global-setup.ts'

export interface FreshDatabase {
  server: Connect
  owner: Connect
  /** Connects as PostgreSQL's superuser, for what other programs do in this database. */
  superuser: Connect
  sql: Sql
  /** A pool as the owner of the tables, for what the console's role may not do. */
  ownerSql: Sql
  /** Closes both pools and drops the database. */
  drop(): Promise<void>
}

export interface FreshOptions {
  migrated?: boolean
  /** The size of the pool: by default smaller than the console's, because suites share one PostgreSQL. */
  connections?: number
}

/** Creates a database for a test, by default as a copy of the migrated template. */
export async function freshDatabase({
  migrated = true,
  connections = 5,
}: FreshOptions = {}): Promise<FreshDatabase> {
  const database = `test_${randomBytes(6).toString('hex')}`
  const postgres = inject('postgres')
  await asSuperuser(postgres, async (sql) => {
    // PostgreSQL refuses to copy one template twice at the same time.
    await sql`select pg_advisory_lock(1)`
    // In memory it is cheaper to copy the files than to log what is in them; on a disk that waits for the disk twice.
    const strategy = inject('inMemory') ? sql`file_copy` : sql`wal_log`
    await sql`
      create database ${sql(database)} owner boxtree_owner template ${sql(migrated ? TEMPLATE : 'template0')}
      strategy ${strategy}`
    // Nothing here outlives the run, so no COMMIT need wait for the disk.
    await sql`alter database ${sql(database)} set synchronous_commit = off`
    await sql`revoke all on database ${sql(database)} from public`
    await sql`grant connect on database ${sql(database)} to boxtree_server`
  })
  const server = connectAs(postgres, 'boxtree_server', database)
  const owner = connectAs(postgres, 'boxtree_owner', database)
  const sql = openPool(server, { max: connections })
  const ownerSql = openPool(owner, { max: 1 })
  return {
    server,
    owner,
    superuser: connectAs(postgres, 'postgres', database),
    sql,
    ownerSql,
    async drop() {
      await Promise.all([sql.end({ timeout: 5 }), ownerSql.end({ timeout: 5 })])
      await asSuperuser(postgres, (sql) => sql`drop database if exists ${sql(database)} with (force)`)
    },
  }
}

function asSuperuser(postgres: Connect, work: (sql: Sql) => Promise<unknown>): Promise<unknown> {
  return withPool(postgres, { max: 1, isLong: true }, work)
}
