import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findBinaries, MAJOR } from '../../server/postgres/binaries.ts'
import { initialise } from '../../server/postgres/cluster.ts'
import { codeOf } from '../../server/postgres/errors.ts'
import { findHome, type Home } from '../../server/postgres/home.ts'
import { openPool, type Sql } from '../../server/postgres/pool.ts'
import type { RunAs } from '../../server/postgres/run.ts'
import { configure, createRolesAndDatabase, put, startPostgres, stop, untilReady, urlOf } from './external.ts'
import { freePort } from './port.ts'
import { signal } from './processes.ts'

/** What happens to the old primary when the standby is promoted; 'still running' kills it a second later. */
export type OldPrimary = 'killed' | 'shut down' | 'still running'

interface Server {
  home: Home
  port: number
  process: ChildProcess
}

/**
 * A primary and a synchronous standby: PostgreSQL's own streaming replication, as an operator sets it up. The two may
 * swap roles any number of times and keep their two ports.
 */
export class Pair {
  #primary: Server
  #standby: Server | null = null
  #unused: { folder: string; port: number }

  static async start(folders: [string, string]): Promise<Pair> {
    const [port, other] = [await freePort(), await freePort()]
    const home = await findHome(folders[0], findBinaries(), initialise)
    configurePair(home, port)
    const pair = new Pair({ home, port, process: startPostgres(home) }, { folder: folders[1], port: other })
    await createRolesAndDatabase(pair.at('postgres', 'postgres'))
    return pair
  }

  private constructor(primary: Server, unused: { folder: string; port: number }) {
    this.#primary = primary
    this.#unused = unused
  }

  /** `DATABASE_URL` and `DATABASE_OWNER_URL`, each with both hosts in a fixed order. */
  get env(): { DATABASE_URL: string; DATABASE_OWNER_URL: string } {
    const ports = [this.#primary.port, this.#standby?.port ?? this.#unused.port].sort()
    return {
      DATABASE_URL: urlOf('console', 'shop', ...ports),
      DATABASE_OWNER_URL: urlOf('holder', 'shop', ...ports),
    }
  }

  /** Returns the connection string of a role to a database of the primary. */
  at(user: string, database: string): string {
    return urlOf(user, database, this.#primary.port)
  }

  /** Returns a connection string that names both hosts, the standby first. */
  standbyFirst(user: string, database: string): string {
    const { primary, standby } = this.#both()
    return urlOf(user, database, standby.port, primary.port)
  }

  /** The ports of both, as a load balancer knows them. */
  get ports(): { primary: number; standby: number } {
    const { primary, standby } = this.#both()
    return { primary: primary.port, standby: standby.port }
  }

  get hasStandby(): boolean {
    return this.#standby !== null
  }

  /** Copies the running primary and starts the copy as its standby, for which every COMMIT waits from then on. */
  async join(): Promise<void> {
    const { folder, port } = this.#unused
    const cluster = join(folder, `postgres-${MAJOR}`)
    rmSync(cluster, { recursive: true, force: true })
    const home = { ...this.#primary.home, cluster }
    await this.#asSuperuser(async (sql) => {
      await sql`select pg_backup_start('standby', true)`
      copy(this.#primary.home.cluster, home)
      const [ended] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
      put(home, 'backup_label', ended?.labelfile ?? '')
    })
    configurePair(home, port, { primary_conninfo: `host=127.0.0.1 port=${this.#primary.port} user=postgres` })
    put(home, 'standby.signal', '')
    this.#standby = { home, port, process: startPostgres(home) }
    configurePair(this.#primary.home, this.#primary.port, { synchronous_standby_names: '*' })
    await this.#asSuperuser(async (sql) => {
      await sql`select pg_reload_conf()`
      while ((await sql`select from pg_stat_replication where sync_state = 'sync'`).length === 0)
        await pause(50)
    })
    // It receives before it lets anybody in.
    await withSuperuser(port, async () => {})
  }

  /** Has the standby receive nothing more, as a broken network does. A later promotion does without what it lacks. */
  async cutOff(): Promise<void> {
    const { standby } = this.#both()
    configurePair(standby.home, standby.port)
    await withSuperuser(standby.port, async (sql) => {
      await sql`select pg_reload_conf()`
      while ((await sql`select from pg_stat_wal_receiver`).length > 0) await pause(50)
    })
  }

  /**
   * Promotes the standby. Its receiver is paused first, so that a COMMIT which did not wait for the standby would be
   * lost.
   */
  async promote(old: OldPrimary): Promise<void> {
    const { primary, standby } = this.#both()
    await withSuperuser(standby.port, async (sql) => {
      const [receiver] = await sql<{ pid: number }[]>`select pid from pg_stat_wal_receiver`
      if (receiver) process.kill(receiver.pid, 'SIGSTOP')
      await pause(300)
      if (old === 'killed') await kill(primary)
      if (old === 'still running') await sql`select pg_promote(false)`
      if (receiver) process.kill(receiver.pid, 'SIGCONT')
      if (old === 'shut down') await stop(primary.process)
      if (old !== 'still running') await sql`select pg_promote()`
    })
    if (old === 'still running') {
      // Then the operator's tools notice the old primary and stop it.
      await pause(1000)
      await kill(primary)
    }
    this.#swap()
  }

  /**
   * Shuts the primary down and leaves the standby a standby, so that nothing can be written. Returns what promotes it.
   */
  async losePrimary(): Promise<() => Promise<void>> {
    const { primary, standby } = this.#both()
    await stop(primary.process)
    return async () => {
      await withSuperuser(standby.port, (sql) => sql`select pg_promote()`)
      this.#swap()
    }
  }

  /** Cancels a COMMIT's wait for the standby, once there is one. PostgreSQL then commits on the primary alone. */
  async cancelWait(): Promise<void> {
    await this.#asSuperuser(async (sql) => {
      for (;;) {
        const cancelled = await sql`
          select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' limit 1`
        if (cancelled.length > 0) return
        await pause(50)
      }
    })
  }

  #both(): { primary: Server; standby: Server } {
    if (!this.#standby) throw new Error('there is no standby')
    return { primary: this.#primary, standby: this.#standby }
  }

  /** The standby has become the primary, and the old one is gone. */
  #swap(): void {
    const { primary, standby } = this.#both()
    this.#primary = standby
    this.#standby = null
    this.#unused = { folder: join(primary.home.cluster, '..'), port: primary.port }
  }

  /** Starts the old primary as a standby, with all that it has and the new one lacks: without `pg_rewind`. */
  async rejoinAsItIs(): Promise<void> {
    const { folder, port } = this.#unused
    const home = { ...this.#primary.home, cluster: join(folder, `postgres-${MAJOR}`) }
    configurePair(home, port, { primary_conninfo: `host=127.0.0.1 port=${this.#primary.port} user=postgres` })
    put(home, 'standby.signal', '')
    this.#standby = { home, port, process: startPostgres(home) }
    await withSuperuser(port, async () => {})
  }

  /** Stops the standby, as for work on its machine. Returns what starts it again. */
  async suspend(): Promise<() => void> {
    const { standby } = this.#both()
    await stop(standby.process)
    return () => {
      standby.process = startPostgres(standby.home)
    }
  }

  async stop(): Promise<void> {
    if (this.#standby) await stop(this.#standby.process)
    await stop(this.#primary.process)
  }

  #asSuperuser<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return withSuperuser(this.#primary.port, work)
  }
}

async function withSuperuser<T>(port: number, work: (sql: Sql) => Promise<T>): Promise<T> {
  // pg_backup_start and pg_backup_stop must run in one session.
  const sql = openPool(urlOf('postgres', 'postgres', port), {
    max: 1,
    isLong: true,
    standby: true,
  })
  try {
    await untilReady(sql)
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Configures a server that has a standby, or is one. */
function configurePair(home: Home, port: number, more: Record<string, string> = {}): void {
  const settings = { wal_keep_size: '512MB', wal_retrieve_retry_interval: '100ms', ...more }
  configure(home, port, { settings, ways: ['host replication postgres 127.0.0.1/32 trust'] })
}

/** Kills every process of the server at once, as when its machine fails. */
async function kill(server: Server): Promise<void> {
  const pids = await withSuperuser(
    server.port,
    (sql) => sql<{ pid: number }[]>`select pid from pg_stat_activity`,
  )
  const exit = once(server.process, 'exit')
  server.process.kill('SIGKILL')
  for (const { pid } of pids) signal(pid, 'SIGKILL')
  await exit
}

/** Copies the files of a running server. The standby repairs them from the primary's log as it starts. */
function copy(from: string, { cluster, runAs }: Home): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const inside = entry.parentPath.slice(from.length + 1)
    const to = join(cluster, inside, entry.name)
    if (entry.isDirectory()) make(to, runAs)
    else if (!inside.startsWith('pg_wal') && !entry.name.startsWith('postmaster.')) {
      make(join(cluster, inside), runAs)
      copyFile(join(entry.parentPath, entry.name), to, runAs)
    }
  }
  chmodSync(cluster, 0o700)
}

function make(folder: string, runAs: RunAs): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (runAs) chownSync(folder, runAs.uid, runAs.gid)
}

function copyFile(from: string, to: string, runAs: RunAs): void {
  try {
    copyFileSync(from, to)
    if (runAs) chownSync(to, runAs.uid, runAs.gid)
  } catch (error) {
    // The primary may remove files while they are copied; the log covers that.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
