import { rmSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { TransactionSql } from 'postgres'
import { createFirstAdmin } from '../../server/access/admin.ts'
import { openApp } from '../../server/app.ts'
import { type Config, readConfig } from '../../server/config.ts'
import type { FreeSpace } from '../../server/corridor/disk.ts'
import { openLog } from '../../server/log.ts'
import { openPool, type Sql } from '../../server/postgres/pool.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { freshFolder } from './folder.ts'

/** The same for all servers of a test, because those of one database must share it. */
export const SECRET_KEY = Buffer.alloc(32, 'boxtree')

export const ADMIN = { login: 'admin', password: 'admin-password' }

export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  url: string
  app: FastifyInstance
  /** The pool that the server runs on. */
  sql: Sql
  /** As the owner of the tables. */
  ownerSql: Sql
  database: FreshDatabase
  config: Config
  /** What was logged, a JSON line each. */
  logged: string[]
  close(): Promise<void>
}

export interface TestServerOptions {
  /** Variables as the console reads them; by default there is no captcha. */
  env?: Record<string, string>
  /** "Now", for tests that stand at midnight. */
  clock?: () => Date
  /** False leaves out the first admin. */
  admin?: boolean
  /** Runs on an existing database, which stays when the server closes: a second server, or a restart. */
  database?: FreshDatabase
  secretKey?: Buffer
  /** Connections of the pool of a fresh database. */
  connections?: number
  /** The free space under the database; it is not looked at where none is given. */
  freeSpace?: FreeSpace
}

/** Starts the real server over a fresh database, on a free port. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await freshDatabase(options))
  const dataDir = freshFolder()
  const config = readConfig({ CAPTCHA_PROVIDER: 'none', DATA_DIR: dataDir, ...options.env })
  const { ownerSql } = database
  // A second server shares the database and nothing else.
  const pool = options.database ? openPool(database.server, { max: 5 }) : database.sql
  const sql = options.clock ? await playAt(options.clock, pool, ownerSql) : pool
  const logged: string[] = []
  if (options.admin ?? options.database === undefined) {
    await createFirstAdmin(sql, ADMIN.login, ADMIN.password)
  }
  const app = await openApp({
    config,
    database: database.server,
    sql,
    secretKey: options.secretKey ?? SECRET_KEY,
    log: openLog({ write: (line) => logged.push(line) }),
    freeSpace: options.freeSpace ?? null,
    ...(options.clock && { clock: options.clock }),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    app,
    sql,
    ownerSql,
    database,
    config,
    logged,
    async close() {
      await app.close()
      if (options.database) await sql.end({ timeout: 5 })
      else await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The pool, in whose transactions the database takes the clock's moment for its own: see `moment` in db/accounts.sql. */
async function playAt(clock: () => Date, pool: Sql, owner: Sql): Promise<Sql> {
  await owner`insert into setup (key, value) values ('clock', 'played') on conflict do nothing`
  return new Proxy(pool, {
    get(target, key) {
      if (key !== 'begin') return Reflect.get(target, key)
      return (access: string, work: (sql: TransactionSql) => Promise<unknown>) =>
        target.begin(access, (transaction) => {
          // Sent with what follows it, whose failure says enough; no query, so that an isolation level may still be set.
          transaction.unsafe(`set local boxtree.moment = '${clock().toISOString()}'`).catch(() => {})
          return work(transaction)
        })
    },
  })
}
