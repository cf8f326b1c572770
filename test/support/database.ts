import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Connect, openPool, type Sql } from '../../server/postgres/pool.ts'
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
  const superuser = superuserOf(postgres)
  // In memory it is cheaper to copy the files than to log what is in them; on a disk that waits for the disk twice.
  const strategy = inject('inMemory') ? superuser`file_copy` : superuser`wal_log`
  const template = migrated ? TEMPLATE : 'template0'
  // PostgreSQL refuses to copy one template twice at the same time.
  await superuser`select pg_advisory_lock(1)`
  try {
    await superuser`
      create database ${superuser(database)} owner boxtree_owner template ${superuser(template)} strategy ${strategy}`
  } finally {
    await superuser`select pg_advisory_unlock(1)`
  }
  // Nothing here outlives the run, so no COMMIT need wait for the disk.
  await superuser`alter database ${superuser(database)} set synchronous_commit = off`
  await superuser`revoke all on database ${superuser(database)} from public`
  await superuser`grant connect on database ${superuser(database)} to boxtree_server`
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
      await superuser`drop database if exists ${superuser(database)} with (force)`
    },
  }
}

const superusers = new Map<string, Sql>()

/**
 * Returns the process's connection to the suites' PostgreSQL as its superuser. To open one for each database took a third of
 * the time of making it.
 */
function superuserOf(postgres: Connect): Sql {
  const key = JSON.stringify(postgres)
  const sql = superusers.get(key) ?? openPool(postgres, { max: 1, isLong: true })
  superusers.set(key, sql)
  return sql
}
