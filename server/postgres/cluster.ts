import { statfsSync, statSync } from 'node:fs'
import { totalmem, userInfo } from 'node:os'
import { join } from 'node:path'
import { StartFault } from '../config.ts'
import { readOwned } from './files.ts'
import type { Home } from './home.ts'
import { programPath, run } from './run.ts'

/** The three roles of the embedded server: set-up, the owner of the tables, and what the console runs as. */
const ROLES = ['postgres', 'boxtree_owner', 'boxtree_server'] as const

/** Makes an empty cluster in the folder `home.cluster`. */
export async function initialise(home: Home): Promise<void> {
  // Refuses a user without a name in our words, before initdb does in its own.
  ownName()
  // initdb starts the server through a shell, which reads these also within its quotes.
  if (/[$"`]/.test(home.binaries))
    throw new StartFault(
      'Move Boxtree to a folder without $, " and ` in its path: PostgreSQL cannot make its folder from there.',
    )
  const { code, output } = await run(
    programPath(home.binaries, 'initdb'),
    [
      `--pgdata=${home.cluster}`,
      '--username=postgres',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      '--auth-local=peer',
      '--auth-host=reject',
      '--no-instructions',
      '--set=huge_pages=off',
    ],
    home.runAs,
  )
  if (code !== 0) throw new StartFault(`PostgreSQL could not make its folder:\n${output}`)
}

/**
 * Writes the server's settings and pg_hba.conf at every start, so that they are those of this version. The server's own
 * user writes them: in a folder of that user, a link could lead root to another file.
 * @throws StartFault when they cannot be written
 */
export async function configure(home: Home): Promise<void> {
  const files = {
    'postgresql.conf': settings(home.cluster),
    'pg_hba.conf': 'local all all peer map=boxtree\n',
    'pg_ident.conf': identities(),
  }
  const args = Object.entries(files).flatMap(([name, text]) => [join(home.cluster, name), text])
  const { code, output } = await run('/bin/sh', ['-c', WRITE, 'sh', ...args], home.runAs)
  if (code !== 0) throw new StartFault(`The settings of PostgreSQL could not be written:\n${output}`)
}

/** Takes pairs of path and text, and renames each file into place. A power cut may lose one: each start writes them. */
const WRITE = `
  umask 077
  while [ $# -gt 0 ]; do
    draft=$1.$$
    rm -rf "$draft" && printf %s "$2" >"$draft" && mv -f "$draft" "$1" || exit 1
    shift 2
  done`

/**
 * The last value of a setting counts: the operator's come after those that can be tuned, and before those that must
 * hold.
 */
function settings(cluster: string): string {
  const tunable = {
    ...TUNING,
    shared_buffers: `${sharedBuffersMb()}MB`,
    max_wal_size: `${mostWalMb(cluster)}MB`,
    temp_file_limit: `${mostSortedMb(cluster)}MB`,
  }
  return [
    '# Written by Boxtree at every start. Put settings of your own into local.conf.',
    ...linesOf(tunable),
    "include_if_exists = 'local.conf'",
    '# What Boxtree relies on, whatever local.conf says.',
    ...linesOf({ ...WAYS_IN, ...DURABLE, ...LOG }),
    '',
  ].join('\n')
}

function linesOf(settings: Record<string, string | number>): string[] {
  return Object.entries(settings).map(([name, value]) => `${name} = '${value}'`)
}

/** Connections by a socket in the server's own folder, which other users cannot enter; there is no TCP port. */
const WAYS_IN = { listen_addresses: '', unix_socket_directories: '.', port: 5432, max_connections: 50 }

/** The settings by which a committed write survives a power cut; `refuseUnsafe` checks them. */
export const DURABLE = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }

/**
 * Keeps the log for a week. It has the server's own events, but no errors of statements: the console receives those,
 * and their text may contain what a person typed.
 */
export const LOG = {
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: 0,
  log_truncate_on_rotation: 'on',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_statement: 'none',
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
}

/** For two cores and a solid-state disk: calls run in parallel, so that a statement needs no parallel workers. */
const TUNING = {
  timezone: 'UTC',
  // A container that may not use those of its machine would end PostgreSQL by a bus error.
  huge_pages: 'off',
  wal_level: 'replica',
  checkpoint_timeout: '15min',
  random_page_cost: 1.1,
  effective_io_concurrency: 16,
  work_mem: '16MB',
  jit: 'off',
  max_parallel_workers_per_gather: 0,
}

/** Returns a quarter of the memory, as PostgreSQL's manual advises, up to what a million clients need. */
function sharedBuffersMb(): number {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.max(32, Math.min(2048, Math.floor(memory / 2 ** 20 / 4)))
}

/** Returns max_wal_size: a sixteenth of the disk, up to 1 GB, so that the write-ahead log does not fill a small one. */
function mostWalMb(cluster: string): number {
  return Math.max(64, Math.min(1024, Math.floor(diskMb(cluster) / 16)))
}

/**
 * Returns temp_file_limit: a quarter of the disk, so that no statement fills it by what it sorts. To sort the whole
 * ledger takes a third of the space of a database: one that would reach this limit leaves no such room on its disk.
 * At most 1 TB, of the 2 that PostgreSQL allows, also where a disk tells no size.
 */
function mostSortedMb(cluster: string): number {
  return Math.min(2 ** 20, Math.floor(diskMb(cluster) / 4)) || 2 ** 20
}

function diskMb(cluster: string): number {
  const { blocks, bsize } = statfsSync(cluster)
  return (blocks * bsize) / 2 ** 20
}

/** Returns the name of the user who runs this, by which PostgreSQL knows it. */
function ownName(): string {
  try {
    return userInfo().username
  } catch {
    throw new StartFault(
      `The user ${process.getuid?.()} has no name on this machine, and PostgreSQL knows users by their names; start Boxtree as a user of /etc/passwd.`,
    )
  }
}

/** Returns pg_ident.conf: the operating system authenticates the user of the socket, so that no password is needed. */
function identities(): string {
  const user = ownName().replaceAll('"', '""')
  return ROLES.map((role) => `boxtree "${user}" ${role}\n`).join('')
}

/** Refuses the server of a cluster that another user started, which lets only that one in. @throws StartFault */
export function refuseOfAnother(cluster: string): void {
  const text = readOwned(join(cluster, 'pg_ident.conf'), statSync(cluster).uid) ?? ''
  const name = /^boxtree "((?:[^"]|"")+)"/.exec(text)?.[1]?.replaceAll('""', '"')
  if (name === undefined || name === ownName()) return
  throw new StartFault(
    `The database was started by the user ${name}, and lets nobody else in: run this as ${name}, for example with runuser -u ${name} -- COMMAND.`,
  )
}
