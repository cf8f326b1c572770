import { rmSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { TransactionSql } from 'postgres'
import { DEFAULT_SETTINGS } from '../../contract/appearance.ts'
import type { Backups } from '../../contract/system.ts'
import { watchNetworks } from '../../server/access/network.ts'
import { hashPassword } from '../../server/access/password.ts'
import { createSeal } from '../../server/access/seal.ts'
import { type AppDependencies, openApp, openBoxApp } from '../../server/app.ts'
import { type Gateway, openGateway } from '../../server/boxes/gateway.ts'
import { type Config, readConfig } from '../../server/config.ts'
import type { FreeSpace } from '../../server/corridor/disk.ts'
import { openReport } from '../../server/jobs/report.ts'
import { trialsOfBoxes } from '../../server/ledger/trials.ts'
import { openLog } from '../../server/log.ts'
import { type Clock, MACHINE_CLOCK } from '../../server/postgres/clock.ts'
import { openPool, type Sql } from '../../server/postgres/pool.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'
import { freshFolder } from './folder.ts'

/** One key for all servers of a test, because the servers of one database must share it. */
export const SECRET_KEY = Buffer.alloc(32, 'boxtree')

export const ADMIN = { login: 'admin', password: 'admin-password' }

const ADMIN_HASH = hashPassword(ADMIN.password, null)

export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** The same, or where `BOX_PORT` is set that of the boxes. */
  boxUrl: string
  app: FastifyInstance
  gateway: Gateway
  /** The pool that the server runs on. */
  sql: Sql
  ownerSql: Sql
  database: FreshDatabase
  config: Config
  /** The log's lines, in JSON. */
  logged: string[]
  close(): Promise<void>
}

export interface TestServerOptions {
  /** Environment variables; by default there is no captcha, and a playlist may lie on this machine. */
  env?: Record<string, string>
  /** A clock of the test's, which the database shows too. */
  clock?: () => Date
  /** The database's clock, as the console reads it; by default the machine's. */
  databaseClock?: Clock
  admin?: boolean
  /** An existing database, which the server does not drop when it closes: for a second server, or a restart. */
  database?: FreshDatabase
  secretKey?: Buffer
  connections?: number
  /** A free port; by default any. */
  port?: number
  /** Aborted once the server was told to stop. */
  leaving?: AbortSignal
  /** Replaces the measuring of the disk's free space; by default nothing is measured. */
  freeSpace?: FreeSpace
  /** What it tells of its backups; by default it makes none. */
  backups?: () => Promise<Backups>
}

/** Starts the real server on a free port, by default with a fresh database. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const database = options.database ?? (await freshDatabase(options))
  const dataDir = freshFolder()
  const config = readConfig({
    CAPTCHA_PROVIDER: 'none',
    PLAYLIST_PRIVATE: 'on',
    DATA_DIR: dataDir,
    ...options.env,
  })
  const { ownerSql } = database
  // A second server shares the database, but not the pool.
  const pool = options.database ? openPool(database.server, { max: 5 }) : database.sql
  const sql = options.clock ? await withClock(options.clock, pool, ownerSql) : pool
  const logged: string[] = []
  if (options.admin ?? options.database === undefined) {
    await insertAdmin(sql)
  }
  const clock = options.databaseClock ?? {
    ...MACHINE_CLOCK,
    ...(options.clock && { now: options.clock }),
  }
  const secretKey = options.secretKey ?? SECRET_KEY
  const log = openLog({ write: (line) => logged.push(line) }, config.logLevel)
  const seal = createSeal(secretKey)
  const networks = watchNetworks(config.trustedProxies, clock.now)
  const zone = config.timeZone
  const gateway = openGateway({
    sql,
    seal,
    networks,
    log,
    clock: clock.now,
    zone,
    mayShareTrial: trialsOfBoxes({ zone, trialsPerDay: config.trialsPerDay }),
    streams: config.streams,
  })
  const { leaving = new AbortController().signal, freeSpace = null, backups } = options
  const needed: AppDependencies = {
    config,
    database: database.server,
    sql,
    secretKey,
    seal,
    log,
    clock,
    networks,
    freeSpace,
    leaving,
    gateway: config.serve.boxes ? gateway : null,
    report: openReport({ config, clock, freeSpace, leaving, ...(backups && { backups }) }),
  }
  const { console, boxes } = config.serve
  const app = console ? await openApp(needed) : await openBoxApp(needed, gateway)
  const url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  const apart = console && boxes && config.boxPort !== null ? await openBoxApp(needed, gateway) : null
  const boxUrl = apart ? await apart.listen({ host: '127.0.0.1', port: 0 }) : url
  return {
    url,
    boxUrl,
    app,
    gateway,
    sql,
    ownerSql,
    database,
    config,
    logged,
    async close() {
      await Promise.all([app.close(), apart?.close()])
      await gateway.stop()
      if (options.database) await sql.end({ timeout: 5 })
      else await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates the first admin as `createFirstAdmin` does, which would hash the password once for every server. */
async function insertAdmin(sql: Sql): Promise<void> {
  await sql`
    insert into account (name, role, password, settings, created)
    values (${ADMIN.login}, 'admin', ${await ADMIN_HASH}, ${sql.json(DEFAULT_SETTINGS)}, moment())`
}

/** Wraps the pool so that the database's clock shows the test's time too: see `moment` in db/accounts.sql. */
async function withClock(clock: () => Date, pool: Sql, owner: Sql): Promise<Sql> {
  await owner`insert into setup (key, value) values ('clock', 'played') on conflict do nothing`
  return new Proxy(pool, {
    get(target, key) {
      if (key !== 'begin') return Reflect.get(target, key)
      return (access: string, work: (sql: TransactionSql) => Promise<unknown>) =>
        target.begin(access, (transaction) => {
          // Not awaited: it travels with the next statement, which fails as well. `set` takes no snapshot, so that the
          // isolation level may still be set.
          transaction.unsafe(`set local boxtree.moment = '${clock().toISOString()}'`).catch(() => {})
          return work(transaction)
        })
    },
  })
}
