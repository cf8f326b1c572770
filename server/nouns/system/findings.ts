import { faultInPlaylist } from '../../../contract/channels.ts'
import { bytes, counted } from '../../../contract/quantities.ts'
import {
  type Backups,
  CLOCK_OFFSET_MS,
  type Database,
  FINDINGS,
  type Finding,
  JOB_LABELS,
  type Job,
  NEARLY_FULL,
  type Server,
} from '../../../contract/system.ts'
import { HOUR_MS, MINUTE_MS, minuteOf } from '../../../contract/time.ts'
import type { PlaylistState } from './playlist.ts'

export type State = {
  database: Database
  /** The moment of the newest entry where the time of the database lies before it. */
  newest: Date | null
  /** Whether a proxy hides who asks from the server that answers this. */
  silentProxy: boolean
  servers: readonly Server[]
  jobs: readonly Job[]
  playlist: PlaylistState | null
  /** How many minutes are between two readings of the playlist. */
  playlistMinutes: number
  now: Date
}

/** After how long without a success a job is overdue, in milliseconds. The alert rules in deploy/ judge by the same. */
const OVERDUE_MS: Partial<Record<Job['name'], number>> = {
  counts: 10 * MINUTE_MS,
  boxes: 10 * MINUTE_MS,
  playlist: 10 * MINUTE_MS,
  'clean-up': 3 * HOUR_MS,
  statistics: 26 * HOUR_MS,
}
/**
 * How often a job, or a reading of the playlist, fails in a row until that is a problem, because the next run often
 * mends what one met.
 */
const FAILURES = 3
/** The jobs of a server that has just been started have not run yet. */
const SETTLING_MS = 5 * MINUTE_MS
/** How long servers of two versions may run beside each other. */
const VERSIONS_MS = HOUR_MS

/** Returns the problems, the most important first, each with what to do. */
export function findingsOf(state: State): Finding[] {
  const living = state.servers.filter(({ state }) => state === 'serving' || state === 'stopping')
  const found = [
    ...ofWrites(state, living),
    ...living.flatMap(ofDisk),
    ...ofStandby(state.database),
    ...ofBackups(living, state.now),
    ...state.servers.flatMap((server) => ofGone(server, state.now)),
    ...state.jobs.flatMap((job) => ofJob(job, living, state.now)),
    ...ofPlaylist(state),
    ...living.flatMap(ofClock),
    ...ofVersions(living, state.now),
    ...(state.silentProxy ? SILENT_PROXY : []),
  ]
  return found.sort(
    (a, b) => Number(b.urgent) - Number(a.urgent) || FINDINGS.indexOf(a.kind) - FINDINGS.indexOf(b.kind),
  )
}

/** Why no change can be made, where nothing else says it. */
function ofWrites({ database, newest }: State, living: readonly Server[]): Finding[] {
  const { writes, synchronous } = database
  if (newest) {
    return urgent(
      'clock behind',
      `The database's clock was set back behind its newest entry, of ${minuteOf(newest)}, so changes are refused. Set the clock right if it is wrong. If it was wrong and ahead before, wait until that moment is past, or restore the last backup from before.`,
    )
  }
  if (writes || living.some(isFull)) return []
  if (synchronous === 'away') {
    return urgent(
      'standby away',
      'No change can be committed, because the synchronous standby is away. Start it again, or take it out of synchronous_standby_names.',
    )
  }
  return urgent(
    'no writes',
    'No change can be committed in the database. See whether its server is still the primary and has room on its disk; its own log says more.',
  )
}

function isFull({ disk_free, disk_least }: Server): boolean {
  return disk_free !== null && disk_least !== null && disk_free < disk_least
}

function ofDisk(server: Server): Finding[] {
  const { host, disk_free: free, disk_least: least } = server
  if (free === null || least === null || free >= NEARLY_FULL * least) return []
  const room = `The disk of the database on ${host} has ${bytes(free)} free`
  if (isFull(server)) {
    return urgent(
      'disk full',
      `${room}, less than the ${bytes(least)} of FREE_DISK_MB, so changes are refused. Free space on it; they are made again at once.`,
    )
  }
  return hint(
    'disk',
    `${room}; below ${bytes(least)} changes are refused. Free space on it, or give it a larger one.`,
  )
}

/**
 * A standby is expected on each host but one that DATABASE_URL names. One that changes wait for has a finding of its
 * own.
 */
function ofStandby({ hosts, standbys, synchronous }: Database): Finding[] {
  const expected = hosts - 1
  if (standbys >= expected || synchronous === 'away') return []
  if (standbys > 0) {
    return hint(
      'standby',
      `Only ${standbys} of the ${counted(expected, 'standby')} that DATABASE_URL names ${standbys === 1 ? 'follows' : 'follow'} the primary directly. Start the others again, unless they follow a standby: each missing one leaves the database less able to survive a failure.`,
    )
  }
  return hint(
    'standby',
    'No standby follows the database, although DATABASE_URL names several hosts. Start the standby again: without one, the disk of the primary is the only one that has the newest changes.',
  )
}

function ofBackups(living: readonly Server[], now: Date): Finding[] {
  const making = living.flatMap(({ host, started, backups }) =>
    backups ? [{ host, started, ...backups }] : [],
  )
  const [newest] = making.sort((a, b) => time(b.newest) - time(a.newest))
  if (!newest) return []
  const failed = making.find(({ failure }) => time(failure?.at ?? null) > time(newest.newest))
  const since = time(newest.newest ?? newest.started)
  const why = failed?.failure ? ` ${failed.host} says: ${ended(failed.failure.message)}` : ''
  if (now.getTime() - since > 2 * newest.every_hours * HOUR_MS) {
    const none = failed ? 'No backup can be found' : 'There is no backup'
    const age = newest.newest === null ? none : `The newest backup is ${long(now.getTime() - since)} old`
    return urgent(
      'backup',
      `${age}, although one is to be made every ${counted(newest.every_hours, 'hour')}.${why} See the log of the servers, and make one meanwhile where there is room: npm run backup -- FOLDER.`,
    )
  }
  if (why) return hint('backup', `The last try to make a backup failed.${why} It is tried again every hour.`)
  return ofTestRestore(newest)
}

function ofTestRestore({ test_restore: tested, sound }: Backups): Finding[] {
  if (tested?.outcome === 'unsound') {
    const last =
      sound === null
        ? 'No backup is proved sound.'
        : `The last sound one is of ${sound.slice(0, 16).replace('T', ' ')} UTC; keep it.`
    return urgent(
      'backup',
      `The newest backup cannot be trusted: ${ended(tested.sentence)} ${last} Run npm run verify, which says whether the database itself is sound.`,
    )
  }
  if (tested?.outcome !== 'left out') return []
  return hint('backup', ended(tested.sentence))
}

function ofGone({ host, seen, state, ...server }: Server, now: Date): Finding[] {
  if (state !== 'gone') return []
  const silence = long(now.getTime() - Date.parse(seen))
  return urgent(
    'server',
    `The server ${placeOf({ host, ...server })} is gone: it was not stopped, and has not been heard of for ${silence}. Start it again. One that is not started again is forgotten after a day.`,
  )
}

function ofJob({ name, failures, failure, succeeded }: Job, living: readonly Server[], now: Date): Finding[] {
  const label = `The job ${JOB_LABELS[name]}`
  if (failures >= FAILURES) {
    return urgent(
      'job',
      `${label} has failed ${counted(failures, 'time')} in a row: ${ended(failure ?? '')} It is tried again each minute; the log of the servers has the whole error.`,
    )
  }
  const [first] = living.map(({ started }) => Date.parse(started)).sort((a, b) => a - b)
  const limit = OVERDUE_MS[name]
  if (limit === undefined || first === undefined || now.getTime() - first < SETTLING_MS) return []
  const late = now.getTime() - (succeeded === null ? first : time(succeeded))
  if (late <= limit) return []
  return urgent(
    'job',
    `${label} has not succeeded for ${long(late)}. See the log of the servers, and restart the one where it hangs.`,
  )
}

/** Its job succeeds also where the playlist is held back, or its address answers nothing that can be read. */
function ofPlaylist({ playlist, playlistMinutes, now }: State): Finding[] {
  if (playlist === null) return []
  const { has_address, in_use, held: why, held_channels: channels, held_skipped: skipped } = playlist
  if (why !== null) {
    const fault = faultInPlaylist({ why, channels, skipped }, in_use)
    const choices = `${has_address ? 'read it again, ' : ''}give another or take it all the same`
    return hint(
      'playlist',
      `The playlist that was read last is held back: it ${fault} The channels stay as they are. Open Channels to ${choices}.`,
    )
  }
  const { failure, read } = playlist
  const late = now.getTime() - time(read)
  if (failure === null || late < FAILURES * playlistMinutes * MINUTE_MS) return []
  return hint(
    'playlist',
    `The playlist has not been read for ${long(late)}: ${ended(failure)} The channels stay as they are. Open Channels to read it again or give another.`,
  )
}

function ofClock({ host, clock_offset_ms: offset }: Server): Finding[] {
  if (Math.abs(offset) <= CLOCK_OFFSET_MS) return []
  const side = offset > 0 ? 'ahead of' : 'behind'
  return hint(
    'clock',
    `The clock of ${host} is ${long(Math.abs(offset))} ${side} the database's, whose time counts. Set it right, for example with chrony: with more than a minute a server does not start.`,
  )
}

/** Two versions run beside each other while servers are upgraded one by one. */
function ofVersions(living: readonly Server[], now: Date): Finding[] {
  const newest = living.reduce<Server | null>(
    (one, other) => (one && time(one.started) > time(other.started) ? one : other),
    null,
  )
  const other = living.find(({ version }) => version !== newest?.version)
  if (!newest || !other || now.getTime() - time(newest.started) <= VERSIONS_MS) return []
  return hint(
    'versions',
    `${placeOf(other)} runs Boxtree ${other.version} and ${placeOf(newest)} runs ${newest.version}, for more than an hour. Bring both to the same version.`,
  )
}

/** The name of a server, with the port by which two on one host are told apart. */
function placeOf({
  host,
  console_port,
  box_port,
}: Pick<Server, 'host' | 'console_port' | 'box_port'>): string {
  const port = console_port ?? box_port
  return port === null ? host : `${host}:${port}`
}

const SILENT_PROXY = hint(
  'proxy',
  'An address of TRUSTED_PROXIES, which the log names, sends requests without X-Forwarded-For: the callers behind that proxy cannot be told apart, so that only the limits of each account hold for logins, and no box can be locked to an address. Let it send this header, or take it out of TRUSTED_PROXIES if it is no proxy.',
)

function urgent(kind: Finding['kind'], sentence: string): Finding[] {
  return [{ kind, urgent: true, sentence }]
}

function hint(kind: Finding['kind'], sentence: string): Finding[] {
  return [{ kind, urgent: false, sentence }]
}

function time(moment: string | null): number {
  return moment === null ? Number.NEGATIVE_INFINITY : Date.parse(moment)
}

function long(milliseconds: number): string {
  if (milliseconds < MINUTE_MS) return counted(Math.floor(milliseconds / 1000), 'second')
  if (milliseconds < HOUR_MS) return counted(Math.floor(milliseconds / MINUTE_MS), 'minute')
  if (milliseconds < 48 * HOUR_MS) return counted(Math.floor(milliseconds / HOUR_MS), 'hour')
  return counted(Math.floor(milliseconds / (24 * HOUR_MS)), 'day')
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
