import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartFault } from '../config.ts'
import { findBinaries } from './binaries.ts'
import { DURABLE, initialise, refuseOfAnother } from './cluster.ts'
import { codeOf, isLost } from './errors.ts'
import { findHome, type Home } from './home.ts'
import { LOCKS } from './locks.ts'
import { type Connect, openPool, type Sql } from './pool.ts'
import { ensureRunning, type StopMode, stop } from './postmaster.ts'
import { socketPathOf } from './socket-path.ts'

export interface Embedded {
  /** Connects as the console's role, with the least rights. */
  server: Connect
  /** Connects as the owner of the tables, for migrations. */
  owner: Connect
  /** Connects as superuser, for set-up and the databases of tests. */
  superuser: Connect
  /** The real path of its files. */
  files: string
  /** The path of the server's unix socket. */
  socket: string
  /** Whether this process holds the lock of the folder; false for a guest beside a console. */
  held: boolean
  /** Stops the server if this process holds it, and resolves when none of its processes remains. */
  stop(mode?: StopMode): Promise<void>
}

interface EmbeddedOptions {
  dataDir: string
  /** Prints a line for the person at the terminal. */
  say: (line: string) => void
  /** Allows a console that already runs on the folder, which is otherwise refused. */
  guest?: boolean
  /** Aborted when the program is told to stop: a start that still waits for PostgreSQL ends then. */
  stopping?: AbortSignal | undefined
}

/**
 * Starts PostgreSQL on the data folder, or adopts the one that a killed console left running there, and keeps it
 * running until `stop`.
 * @throws StartFault when the folder cannot be served: another major version, another console, not reachable
 */
export async function startEmbedded({ dataDir, say, guest, stopping }: EmbeddedOptions): Promise<Embedded> {
  const home = await findHome(dataDir, findBinaries(), async (draft) => {
    say('Making the database')
    await initialise(draft)
  })
  if (home.shared) say(SHARED_USER)
  if (!guest && liesApart(home.cluster, dataDir)) say(apart(home))
  say((await ensureRunning(home, stopping)) === 'started' ? 'Database started' : 'Database found running')
  const socket = socketPathOf(home.cluster)
  const superuser = { socket: socket.path, database: 'boxtree', user: 'postgres' }
  await setUp(home, superuser, stopping)
  const lock = new FolderLock(home, superuser, { dataDir, say })
  await lock.take(guest ?? false)
  return {
    server: { ...superuser, user: 'boxtree_server' },
    owner: { ...superuser, user: 'boxtree_owner' },
    superuser,
    files: home.cluster,
    socket: socket.path,
    held: lock.held,
    async stop(mode) {
      await lock.release(mode)
      socket.forget()
    },
  }
}

/** Whether the database is not in the data folder itself, which has a link to it then. */
function liesApart(cluster: string, dataDir: string): boolean {
  return dirname(cluster) !== realpathSync(dataDir)
}

function apart({ cluster, runAs }: Home): string {
  const where = `The database is in ${cluster}; DATA_DIR has a link to it, and needs that folder.`
  if (!runAs) return where
  return `${where} It is there because the user whom root runs it as cannot enter DATA_DIR, or others than root may change that. In a container, keep that folder too, or start as a plain user.`
}

const SHARED_USER =
  "The database runs as 'nobody': what else runs as that user here can read it. The README says how to give it a user of its own."

/** Creates missing roles and the missing database, and refuses a server whose settings could lose a write. */
async function setUp(
  home: Home,
  superuser: { socket: string; database: string; user: string },
  stopping: AbortSignal | undefined,
): Promise<void> {
  const inPostgres = { ...superuser, database: 'postgres' }
  // `withPool` would begin with a statement before the server is ready.
  const sql = openPool(inPostgres, { max: 1, isLong: true })
  try {
    await whenReady(home, () => sql`select pg_advisory_lock(${LOCKS.console})`, stopping)
    await refuseUnsafe(sql)
    const [there] = await sql`select from pg_database where datname = 'boxtree'`
    if (!there) await createDatabase(sql)
  } catch (error) {
    if (codeOf(error) === LETS_NOBODY_IN) refuseOfAnother(home.cluster)
    throw error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** PostgreSQL's code for a user of the system that it does not know. */
const LETS_NOBODY_IN = '28000'

async function refuseUnsafe(sql: Sql): Promise<void> {
  const expected: Record<string, string> = { ...DURABLE, data_checksums: 'on' }
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ${sql(Object.keys(expected))}`
  for (const { name, setting } of rows) {
    if (setting !== expected[name]) {
      throw new StartFault(`The database runs with ${name} = ${setting} and could lose data; it must be on.`)
    }
  }
}

async function createDatabase(sql: Sql): Promise<void> {
  for (const role of ['boxtree_owner', 'boxtree_server']) {
    const [there] = await sql`select from pg_roles where rolname = ${role}`
    if (!there) await sql`create role ${sql(role)} login`
  }
  await sql`create database boxtree owner boxtree_owner template template0`
  await sql`revoke all on database boxtree from public`
  await sql`grant connect on database boxtree to boxtree_server`
}

const LOCK_WAIT_MS = 2_000
const READY_WAIT_MS = 60_000
const PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * Makes a process the only console of a data folder, by an advisory lock in a session of its own. When that session
 * ends, the server has died, and is started again.
 */
class FolderLock {
  held = false
  #home: Home
  #sql: Sql
  #dataDir: string
  #say: (line: string) => void
  #releasing = new AbortController()
  #watching: Promise<void> | null = null

  constructor(home: Home, superuser: Connect, { dataDir, say }: Pick<EmbeddedOptions, 'dataDir' | 'say'>) {
    this.#home = home
    this.#dataDir = dataDir
    this.#say = say
    this.#sql = openPool(superuser, {
      max: 1,
      isLong: true,
      onClose: () => this.#onClose(),
    })
  }

  async take(asGuest: boolean): Promise<void> {
    const deadline = performance.now() + (asGuest ? 0 : LOCK_WAIT_MS)
    do {
      this.held = await whenReady(this.#home, () => this.#tryLock())
      if (this.held) return
      await pause(PAUSE_MS)
    } while (performance.now() < deadline)
    if (asGuest) return
    await this.#sql.end({ timeout: 1 })
    throw new StartFault(
      `Another console is running on ${this.#dataDir}, or a command such as a backup; stop it, or let it end. Two processes of one business need a PostgreSQL of their own (DATABASE_URL), and a second business needs another DATA_DIR.`,
    )
  }

  async release(mode?: StopMode): Promise<void> {
    this.#releasing.abort()
    await this.#watching
    // The lock ends with the server, so that a console that starts meanwhile waits for both.
    if (this.held) await stop(this.#home, mode)
    await this.#sql.end({ timeout: 1 })
  }

  async #tryLock(): Promise<boolean> {
    const [row] = await this.#sql<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(${LOCKS.console}, 1) as locked`
    return row?.locked ?? false
  }

  #onClose(): void {
    if (!this.held || this.#releasing.signal.aborted || this.#watching) return
    this.#watching = this.#revive().finally(() => {
      this.#watching = null
    })
  }

  /** Restarts the server, with a pause that doubles after each failure. Says once why it does not start. */
  async #revive(): Promise<void> {
    const { signal } = this.#releasing
    let told = ''
    for (let wait = PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      try {
        await ensureRunning(this.#home, signal)
        if (await this.#tryLock()) return
      } catch (error) {
        // A server that is still stopping or starting is no fault: the next round tries again.
        if (error instanceof StartFault && messageWithoutTimes(error) !== told) this.#say(error.message)
        if (error instanceof StartFault) told = messageWithoutTimes(error)
      }
      await pause(wait)
    }
  }
}

/** Returns the message of a fault without the times and process ids of PostgreSQL's lines, which differ each time. */
function messageWithoutTimes({ message }: StartFault): string {
  return message.replaceAll(/\d+/g, '')
}

/**
 * Runs a query once the server accepts it. An adopted server may still be starting, or stopping: it is then restarted.
 */
async function whenReady<T>(home: Home, query: () => PromiseLike<T>, stopping?: AbortSignal): Promise<T> {
  const deadline = performance.now() + READY_WAIT_MS
  for (;;) {
    try {
      return await query()
    } catch (error) {
      if (!isLost(error) || performance.now() > deadline) throw error
    }
    await pause(PAUSE_MS)
    await ensureRunning(home, stopping)
  }
}
