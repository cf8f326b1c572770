import * as z from 'zod/mini'
import { Moment } from './shapes.ts'

/** The least offset of a server's clock that is reported, in milliseconds. */
export const CLOCK_OFFSET_MS = 5_000

/** A disk is reported when its free space is less than this many times FREE_DISK_MB. */
export const NEARLY_FULL = 4

/** What comes of restoring a backup into a throwaway database. */
export const TEST_RESTORE_OUTCOMES = ['sound', 'unsound', 'left out'] as const

/** The backups that a server makes by the clock. */
export const Backups = z.object({
  every_hours: z.int(),
  /** How many it has. */
  kept: z.int(),
  newest: z.nullable(Moment),
  /** What came of the test restore of the newest; null before its end. */
  test_restore: z.nullable(z.object({ outcome: z.enum(TEST_RESTORE_OUTCOMES), sentence: z.string() })),
  /** When the newest was made that was proved sound. */
  sound: z.nullable(Moment),
  /** When the next is to be made. */
  next: Moment,
  /** The last try, where it made none. */
  failure: z.nullable(z.object({ at: Moment, message: z.string() })),
})
export type Backups = z.output<typeof Backups>

/** What a server tells of itself. */
const Report = z.object({
  /** Made at each start. */
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  node: z.string(),
  /** Null where it does not serve these. */
  console_port: z.nullable(z.int()),
  box_port: z.nullable(z.int()),
  started: Moment,
  /** How far its clock is ahead of the database's. */
  clock_offset_ms: z.int(),
  /** The server of the database that it writes to; null while there is none. */
  database_host: z.nullable(z.string()),
  /** The free bytes under an embedded database, and those below which changes are refused; null for an external one. */
  disk_free: z.nullable(z.int()),
  disk_least: z.nullable(z.int()),
  /** Null where it makes none. */
  backups: z.nullable(Backups),
})

/** A server of the database. 'gone' was killed; of an 'unknown' one nothing is known. */
export const Server = z.extend(Report, {
  seen: Moment,
  state: z.enum(['serving', 'stopping', 'gone', 'unknown']),
})
export type Server = z.output<typeof Server>

/** What a server tells of itself, and whether it was told to stop. */
export type ServerReport = z.output<typeof Report> & { stopping: boolean }

/** The jobs that run by the clock; 'sealing' runs once after each start. */
export const JOBS = ['statistics', 'clean-up', 'counts', 'boxes', 'playlist', 'sealing'] as const
export type JobName = (typeof JOBS)[number]

export const JOB_LABELS: Record<JobName, string> = {
  statistics: 'Statistics',
  'clean-up': 'Clean-up',
  counts: 'Counts',
  boxes: 'Boxes',
  playlist: 'Playlist',
  sealing: 'Passwords',
}

/** How a job went last, on whichever server. */
export const Job = z.object({
  name: z.enum(JOBS),
  ended: Moment,
  took_ms: z.int(),
  succeeded: z.nullable(Moment),
  /** How many runs have failed since, and why the last one did. */
  failures: z.int(),
  failure: z.nullable(z.string()),
  next: z.nullable(Moment),
})
export type Job = z.output<typeof Job>

export const Database = z.object({
  version: z.string(),
  /** The address that it tells of itself; null for an embedded one. */
  host: z.nullable(z.string()),
  /** Whether a change can be made. */
  writes: z.boolean(),
  /** Whether its time lies before its newest entry, so that changes are refused. */
  clock_behind: z.boolean(),
  /** How many hosts DATABASE_URL names. */
  hosts: z.int(),
  /** How many standbys follow it. */
  standbys: z.int(),
  /** Whether a change waits for a standby, and whether one is there. */
  synchronous: z.enum(['off', 'there', 'away']),
})
export type Database = z.output<typeof Database>

/** What can need a hand, the most important first. */
export const FINDINGS = [
  'disk full',
  'clock behind',
  'standby away',
  'no writes',
  'backup',
  'server',
  'job',
  'disk',
  'standby',
  'playlist',
  'clock',
  'versions',
  'proxy',
] as const

/** A problem that somebody must solve. */
const Finding = z.object({
  kind: z.enum(FINDINGS),
  /** Whether something is refused or lost already. */
  urgent: z.boolean(),
  /** What is wrong, and what to do. */
  sentence: z.string(),
})
export type Finding = z.output<typeof Finding>

export const findings = z.array(Finding)
