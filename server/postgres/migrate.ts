import { setTimeout as pause } from 'node:timers/promises'
import { StartFault } from '../config.ts'
import { numbersTaken } from './after-a-copy.ts'
import { begin } from './begin.ts'
import { codeOf, isLost } from './errors.ts'
import { LOCKS } from './locks.ts'
import { type Connect, openPool, type Sql, withPool } from './pool.ts'
import {
  ageOf,
  bringTo020,
  hasTables,
  makeSchema,
  noteStep,
  RELEASE,
  type Release,
  type Step,
  standingOf,
} from './schema.ts'

interface MigrateOptions {
  server: Connect
  owner: Connect
  /** Prints a line for the person at the terminal. */
  say: (line: string) => void
  /** Aborted when the program is told to stop: the wait for another program's migration ends then. */
  stopping?: AbortSignal
  /** By default what this version knows. */
  release?: Release
}

/**
 * How often the lock of another program's migration is tried, in milliseconds, and after how many tries that is said.
 */
const TRY_EVERY_MS = 200
const TRIES_UNTOLD = 5
/**
 * How long a migration waits for tables that are in use, while everybody who comes later waits behind it, and how
 * often.
 */
const LONGEST_LOCK = '2s'
const LOCK_TRIES = 5
/** The pause between two tries while a backup is being made, in milliseconds: each of them makes others wait. */
const TRY_AGAIN_BESIDE_BACKUP_MS = 5_000
/** How often a statement that makes an index is looked at, in milliseconds: as often as tables are tried. */
const LOOK_EVERY_MS = 2_000
/** SQL's codes for a lock that did not come within that time, and for one that each of two waited for. */
const NO_LOCK: ReadonlySet<string> = new Set(['55P03', '40P01'])

/**
 * Makes the present schema in an empty database, or brings an older one to it, as the owner, and grants the server's
 * role its rights again. A newer one, to which only was added, is left as it is. Two programs that do so wait for each
 * other; the servers of the version before go on meanwhile.
 * @throws StartFault when PostgreSQL is of another version than those that were tried, when the database has a schema
 * that this program cannot run on or whose next numbers are taken, when another program uses its tables, or when the
 * connection was lost
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  try {
    await migrateOver(options)
  } catch (error) {
    if (codeOf(error) === '42501') throw mayMakeNoTables()
    if (!isLost(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFault(
      `The connection was lost while the tables were read, made or upgraded: ${reason}. Start again: what was done is kept, and the rest follows.`,
    )
  }
}

/** Why the tables of a database can be neither made nor changed by this role. */
export function mayMakeNoTables(): StartFault {
  return new StartFault(
    'The role of DATABASE_OWNER_URL (DATABASE_URL, if you set none) may not make or change the tables; give the role that owns the database.',
  )
}

async function migrateOver(options: MigrateOptions): Promise<void> {
  const { server, owner, say, stopping, release = RELEASE } = options
  const role = await roleOfTried(server)
  await withPool(owner, { max: 1, isLong: true }, async (sql) => {
    await waitForOthers(sql, say, stopping)
    const isNewer = await bringForward(sql, { owner, say, stopping, release })
    // The newer version has granted these rights and those to what it added, which this one does not know.
    if (!isNewer) await grant(sql, role, release.grants)
    await warnOfOneRole(sql, role, say)
  })
}

/** Takes the lock of migrations, without keeping the database or this program deaf while another program has it. */
async function waitForOthers(sql: Sql, say: (line: string) => void, stopping?: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCKS.schema}) as taken`
    if (row?.taken) return
    if (tries === TRIES_UNTOLD) say('Waiting for another program that is making or changing the tables')
    await pause(TRY_EVERY_MS, undefined, { signal: stopping })
  }
}

type Forward = {
  owner: Connect
  say: (line: string) => void
  stopping: AbortSignal | undefined
  release: Release
}

const OF_SOMETHING_ELSE =
  'The database of DATABASE_URL has tables of something else, and nothing was changed in it: give Boxtree a database of its own.'

/** Returns whether the schema is a newer one. */
async function bringForward(sql: Sql, forward: Forward): Promise<boolean> {
  const { say, release } = forward
  const found = await standingOf(sql)
  if (found === null) {
    if (await hasTables(sql)) throw new StartFault(OF_SOMETHING_ELSE)
    say('Making the tables')
    await begin(sql, (transaction) => makeSchema(transaction, release.schema, release.steps))
    return false
  }
  const age = ageOf(found, release)
  const taken = await numbersTaken(sql)
  if (taken !== null) throw new StartFault(taken)
  if (age === 'newer') say('The tables are those of a newer version, on which this one can run')
  if (age !== 'older') return age === 'newer'
  say('Bringing the tables of the older version forward')
  await sql.unsafe(await filledIn(sql, OWN_RIGHTS))
  if (found.step < 0) await whileUsed(sql, forward, (transaction) => bringTo020(transaction, release))
  for (const step of release.steps) if (step.number > found.step) await apply(sql, forward, step)
  return false
}

/**
 * Applies a step in one transaction. One that makes an index concurrently, which PostgreSQL does outside of
 * transactions alone, is applied statement by statement, and again from its beginning where it was interrupted.
 */
async function apply(sql: Sql, forward: Forward, step: Step): Promise<void> {
  const { release } = forward
  if (!/\bconcurrently\b/i.test(step.text)) {
    return whileUsed(sql, forward, async (transaction) => {
      // The session's own lock goes with its connection. Another program that took it then may have made this step.
      await transaction`select pg_advisory_xact_lock(${LOCKS.schema})`
      const standing = await standingOf(transaction)
      if (standing !== null && standing.step >= step.number) return
      await transaction.unsafe(step.text)
      await noteStep(transaction, step, release)
    })
  }
  for (const statement of step.text.split(/;\s*(?:\n|$)/))
    if (statement.trim()) await runAlone(sql, forward, statement)
  await begin(sql, (transaction) => noteStep(transaction, step, release))
}

/**
 * Runs a change of tables that servers use. It waits for them again and again for a moment, so that they wait no
 * longer.
 */
async function whileUsed(
  sql: Sql,
  { say, stopping }: Forward,
  work: (sql: Sql) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    stopping?.throwIfAborted()
    try {
      await begin(sql, async (transaction) => {
        await transaction.unsafe(`set local lock_timeout = '${LONGEST_LOCK}'`)
        await work(transaction)
      })
      return
    } catch (error) {
      if (!NO_LOCK.has(codeOf(error))) throw error
      const isBesideBackup = await isWorthWaiting(sql, tries, say)
      await pause(isBesideBackup ? TRY_AGAIN_BESIDE_BACKUP_MS : TRY_EVERY_MS, undefined, { signal: stopping })
    }
  }
}

/**
 * Runs a statement that PostgreSQL runs outside of transactions alone. Its own work may take as long as it does, but it
 * waits for others no longer than `whileUsed`: for their transactions too, also those that use other tables. It is
 * cancelled then, and when the program is told to stop.
 */
async function runAlone(sql: Sql, { owner, say, stopping }: Forward, statement: string): Promise<void> {
  stopping?.throwIfAborted()
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const pid = session?.pid ?? 0
  const beside = openPool(owner, { max: 1 })
  const running = sql.unsafe(statement).execute()
  const ended = running.then(
    () => true,
    () => true,
  )
  const nextLook = () => pause(LOOK_EVERY_MS, false, { signal: stopping, ref: false })
  try {
    for (let waits = 0; !(await Promise.race([ended, nextLook()])); ) {
      if (!(await isBlocked(beside, pid))) continue
      waits += 1
      await isWorthWaiting(beside, waits, say)
    }
  } catch (error) {
    await beside`select pg_cancel_backend(${pid})`
    await ended
    throw error
  } finally {
    await beside.end({ timeout: 1 })
  }
  await running
}

async function isBlocked(sql: Sql, pid: number): Promise<boolean> {
  const [row] = await sql<{ blocked: boolean }[]>`
    select cardinality(pg_blocking_pids(${pid})) > 0 as blocked`
  return row?.blocked ?? false
}

/**
 * Says what is waited for. Returns whether that is a backup.
 * @param tries how often somebody was in the way so far
 * @throws StartFault when that was often enough, and it is no backup
 */
async function isWorthWaiting(sql: Sql, tries: number, say: (line: string) => void): Promise<boolean> {
  const isBesideBackup = tries >= LOCK_TRIES && (await isBackupRunning(sql))
  if (tries >= LOCK_TRIES && !isBesideBackup)
    throw new StartFault(
      'The tables cannot be brought forward while another program uses them; stop every console of this database, and start again.',
    )
  if (tries === 1) say('Waiting for another program that uses the tables')
  if (tries === LOCK_TRIES) say('Waiting until the backup that is being made is complete')
  return isBesideBackup
}

/**
 * Whether a backup is being made, which uses every table until it is complete. Between two tables its transaction is
 * idle.
 */
async function isBackupRunning(sql: Sql): Promise<boolean> {
  const [backup] = await sql`
    select from pg_stat_activity
    where datname = current_database() and state <> 'idle' and query ilike 'copy %to stdout%' limit 1`
  return backup !== undefined
}

/** The major versions of PostgreSQL that the tests run on. */
const TRIED = [15, 18]

/** @throws StartFault for a version of PostgreSQL on which nothing was tried */
export function refuseUntried(version: number): void {
  if (TRIED.includes(version)) return
  throw new StartFault(
    `PostgreSQL ${version} is not supported: Boxtree is tested on ${TRIED.join(' and ')}; use one of these.`,
  )
}

/** Returns the role of the console in a PostgreSQL that was tried. @throws StartFault where it is another version */
export async function roleOfTried(server: Connect): Promise<string> {
  return withPool(server, { max: 1 }, async (sql) => {
    const [row] = await sql<{ role: string; version: number }[]>`
      select current_user as role, current_setting('server_version_num')::int / 10000 as version`
    refuseUntried(row?.version ?? 0)
    return row?.role ?? ''
  })
}

/** Waits for no standby, so that a console can start while that is away: each start makes these grants again. */
async function grant(sql: Sql, role: string, grants: string): Promise<void> {
  const quoted = `"${role.replaceAll('"', '""')}"`
  await begin(sql, async (transaction) => {
    await transaction`set local synchronous_commit = local`
    const filled = await filledIn(transaction, `${grants};${OWN_RIGHTS}`)
    await transaction.unsafe(filled.replaceAll(':server_role', () => quoted))
  })
}

/**
 * Gives the owner its rights to its own tables again. Where it is the server's role too, the grants to that role have
 * taken them, and the functions that run as the owner need them.
 */
const OWN_RIGHTS = `
  grant all on table :tables to current_user;
  grant all on function :functions to current_user`

/**
 * Fills the owner's tables and functions into grants. PostgreSQL refuses grants on all of a schema where an extension
 * or another role has made one that the owner has no right to.
 */
async function filledIn(sql: Sql, grants: string): Promise<string> {
  const [own] = await sql<{ tables: string | null; functions: string | null }[]>`
    select
      (select string_agg(oid::regclass::text, ', ') from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
          and pg_has_role(relowner, 'usage')) as tables,
      (select string_agg(oid::regprocedure::text, ', ') from pg_proc
        where pronamespace = 'public'::regnamespace and prokind <> 'p' and pg_has_role(proowner, 'usage')) as functions`
  const { tables, functions } = own ?? {}
  if (!tables || !functions) throw mayMakeNoTables()
  return grants.replaceAll(':tables', () => tables).replaceAll(':functions', () => functions)
}

async function warnOfOneRole(sql: Sql, role: string, say: (line: string) => void): Promise<void> {
  const [row] = await sql<{ owner: string }[]>`select current_user as owner`
  if (row?.owner === role) {
    say(
      `Warning: ${role} owns the tables and runs the console too, so the database cannot guard the ledger against it; keep it in DATABASE_OWNER_URL, and give DATABASE_URL another role.`,
    )
  }
}
