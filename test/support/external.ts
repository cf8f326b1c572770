import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findBinaries } from '../../server/postgres/binaries.ts'
import { initialise } from '../../server/postgres/cluster.ts'
import { isLost } from '../../server/postgres/errors.ts'
import { findHome, type Home } from '../../server/postgres/home.ts'
import { type Sql, withPool } from '../../server/postgres/pool.ts'
import { asIds, ENVIRONMENT, programPath, run } from '../../server/postgres/run.ts'
import { freePort } from './port.ts'

export interface External {
  /** `DATABASE_URL` and `DATABASE_OWNER_URL`, as an operator with a PostgreSQL of their own sets them. */
  env: { DATABASE_URL: string; DATABASE_OWNER_URL: string }
  /** Returns the connection string of a role (one of ROLES, or the superuser `postgres`) to a database. */
  at(user: string, database: string): string
  home: Home
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL as an operator would run it: on a TCP port, with passwords, with one role that owns the tables
 * and another for the console.
 */
export async function startExternal(folder: string, isOldest = false): Promise<External> {
  const port = await freePort()
  const home = isOldest ? await makeOldest(folder) : await findHome(folder, findBinaries(), initialise)
  configure(home, port)
  const child = startPostgres(home)
  const at = (user: string, database: string) => urlOf(user, database, port)
  await createRolesAndDatabase(at('postgres', 'postgres'))
  return {
    env: { DATABASE_URL: at('console', 'shop'), DATABASE_OWNER_URL: at('holder', 'shop') },
    at,
    home,
    stop: () => stop(child),
  }
}

/** Where Debian 12's package `postgresql-15` is, the oldest version that is supported. */
const OLDEST = '/usr/lib/postgresql/15'

async function makeOldest(folder: string): Promise<Home> {
  // Its initdb runs only as an account that there is; the package makes this one.
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const runAs = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null
  const cluster = join(folder, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  if (runAs) chownSync(cluster, runAs.uid, runAs.gid)
  const args = [`--pgdata=${cluster}`, '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8']
  const { code, output } = await run(programPath(OLDEST, 'initdb'), args, runAs)
  if (code !== 0) throw new Error(output)
  return { binaries: OLDEST, cluster, runAs, shared: true }
}

/** Returns the connection string of a role to a database on whichever of the ports is the primary's. */
export function urlOf(user: string, database: string, ...ports: number[]): string {
  return `postgres://${user}:${PASSWORD}@${ports.map((port) => `127.0.0.1:${port}`).join()}/${database}`
}

const PASSWORD = 'of-the-test'
/** The operator's own names for the two roles, and the names that the embedded server has. */
const ROLES = ['holder', 'console', 'boxtree_owner', 'boxtree_server']

/** Writes the configuration of a server on a port of 127.0.0.1, with what it needs besides. */
export function configure(
  home: Home,
  port: number,
  { settings = {}, ways = [] }: { settings?: Record<string, string>; ways?: readonly string[] } = {},
): void {
  const all = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    // A killed process loses nothing that it has written to the system's cache; no test cuts the power.
    fsync: 'off',
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`)
  put(home, 'postgresql.conf', lines.join(''))
  const own = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256']
  put(home, 'pg_hba.conf', `${[...own, ...ways].join('\n')}\n`)
}

/** Writes a file of a cluster, which belongs to whoever runs it. */
export function put({ cluster, runAs }: Home, name: string, text: string): void {
  const file = join(cluster, name)
  writeFileSync(file, text, { mode: 0o600 })
  if (runAs) chownSync(file, runAs.uid, runAs.gid)
}

export function startPostgres(home: Home): ChildProcess {
  return spawn(programPath(home.binaries, 'postgres'), ['-D', home.cluster], {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: 'ignore',
    ...asIds(home.runAs),
  })
}

/** Creates the roles and the database, once the server accepts connections. */
export async function createRolesAndDatabase(superuser: string): Promise<void> {
  await withPool(superuser, { max: 1 }, async (sql) => {
    await untilReady(sql)
    for (const role of ROLES) await sql.unsafe(`create role ${role} login password '${PASSWORD}'`)
    await sql`create database shop owner holder`
  })
}

export async function untilReady(sql: Sql): Promise<void> {
  for (const deadline = Date.now() + 90_000; ; ) {
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (!isLost(error) || Date.now() > deadline) throw error
    }
    await pause(50)
  }
}

/** Shuts a server down and ends its sessions. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGINT')
  await exit
}
