import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Backups } from '../../contract/system.ts'
import { before, HOUR_MS, MINUTE_MS } from '../../contract/time.ts'
import type { Config } from '../config.ts'
import { backupFailures, measure } from '../metrics.ts'
import { oneAtATime } from '../postgres/one-at-a-time.ts'
import type { BackupOutcome, ScheduledBackup } from './scheduled-backup.ts'
import { isAhead, recentOf, type StoredBackup, storedIn } from './stored.ts'

type ScheduleOptions = Pick<ScheduledBackup, 'owner' | 'key' | 'timeZone' | 'reserve'> & {
  plan: NonNullable<Config['backups']>
  /** Returns the mark of the database, see `markOf`. */
  markOf: () => Promise<string>
  log: FastifyBaseLogger
  clock: () => Date
}

const PROCESS = fileURLToPath(new URL('./make-backup.ts', import.meta.url))

/**
 * How long the folder of the backups may take before it counts as away, in milliseconds: for a person who looks, and
 * for the next backup, which a share that is only slow must not hold up for ever.
 */
const ANSWERS_WITHIN_MS = 2_000
const READ_WITHIN_MS = 60_000
/** The longest wait for a process that was told to end, in milliseconds. */
const TIMEOUT_MS = 20_000

/**
 * Once it is started, makes a backup whenever the newest is old enough, and tests it by a restore; so it does with one
 * whose test was interrupted. Log and metrics tell what came of it.
 */
export function openBackups(options: ScheduleOptions): {
  start(): void
  /** Waits for the folder of the backups for a moment; where that does not answer, it tells what was there before. */
  state(): Promise<Backups>
  stop(): Promise<void>
} {
  const { plan, log, clock } = options
  let running: BackupProcess | null = null
  let stopped = false
  let failed: Failure | null = null
  /** Why the folder of the backups could not be read. */
  let away: Failure | null = null
  let timer: NodeJS.Timeout | undefined
  /** What the folder had when it answered last. */
  let kept: StoredBackup[] = []
  const readFolder = oneAtATime(readAll)
  /** That of the database, once it was read. */
  let mark: string | null = null
  return {
    start() {
      void look()
      timer = setInterval(() => void look(), MINUTE_MS)
    },
    async state() {
      await read(ANSWERS_WITHIN_MS)
      return stateOf(plan, kept, away ?? failed, clock())
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await running?.stop()
    },
  }

  /**
   * Reads the folder. Where it cannot be read, or does not answer in time (as one on a share that is away), that is
   * noted like a backup that failed, and the console goes on. The folder is not asked again before it has answered.
   */
  async function read(within: number): Promise<void> {
    const late = new AbortController()
    const isLate = pause(within, true, { signal: late.signal, ref: false }).catch(() => false)
    if (await Promise.race([readFolder(), isLate])) noteAway(new Error(`${plan.folder} does not answer`))
    late.abort()
  }

  async function readAll(): Promise<void> {
    try {
      mark ??= await options.markOf()
      kept = await storedIn(plan.folder, clock(), mark)
      away = null
    } catch (error) {
      noteAway(error as Error)
    }
  }

  function noteAway(error: Error): void {
    const { message } = error
    if (away?.message !== message) log.error({ err: error }, 'the folder of the backups cannot be read')
    away = { at: clock(), message }
  }

  async function look(): Promise<void> {
    await read(READ_WITHIN_MS)
    const now = clock()
    const due = before(now, plan.everyHours * HOUR_MS)
    const recent = recentOf(kept, due)
    if (stopped || running || recent?.testRestore || now.getTime() < againAt(away ?? failed, now)) return
    const { owner, key, timeZone, reserve } = options
    const { folder, keep } = plan
    running = startProcess({ owner, key, timeZone, reserve, folder, keep, due, now })
    void running.ended.then((said) => {
      running = null
      if (!stopped) tell(said)
    })
  }

  function tell({ made, fault }: Said): void {
    if (fault) {
      failed = { at: clock(), message: fault.message }
      backupFailures.inc()
      log.error({ err: fault }, 'a backup failed, and will be tried again in an hour')
    }
    if (!made) return
    failed = null
    if (made.stuck.length > 0) log.warn({ stuck: made.stuck }, 'folders among the backups cannot be removed')
    const figures = { backup: made.name, test_restore: made.testRestore, removed: made.removed }
    if (made.testRestore.outcome === 'sound')
      log.info(figures, 'a backup was made, and its test restore is sound')
    if (made.testRestore.outcome === 'left out') log.warn(figures, 'a backup was made, but not tried')
    if (made.testRestore.outcome === 'unsound') log.error(figures, 'a backup was made that cannot be trusted')
  }
}

type Failure = { at: Date; message: string }

/**
 * Returns when it may be tried again, in milliseconds since 1970. That is an hour after a failure, since each try reads
 * the whole database.
 */
function againAt(failed: Failure | null, now: Date): number {
  return failed === null || isAhead(failed.at, now) ? 0 : failed.at.getTime() + HOUR_MS
}

function stateOf(
  plan: ScheduleOptions['plan'],
  kept: readonly StoredBackup[],
  failed: Failure | null,
  now: Date,
): Backups {
  const [newest] = kept
  const tested = newest?.testRestore
  const due = newest ? newest.taken.getTime() + plan.everyHours * HOUR_MS : now.getTime()
  const next = Math.max(due, againAt(failed, now))
  return {
    every_hours: plan.everyHours,
    kept: kept.length,
    newest: newest?.taken.toISOString() ?? null,
    test_restore: tested ? { outcome: tested.outcome, sentence: tested.sentence } : null,
    sound: kept.find(({ testRestore }) => testRestore?.outcome === 'sound')?.taken.toISOString() ?? null,
    next: new Date(next).toISOString(),
    failure: failed && { at: failed.at.toISOString(), message: failed.message },
  }
}

type BackupProcess = {
  ended: Promise<Said>
  stop(): Promise<void>
}

type Said = { made?: BackupOutcome; fault?: { message: string; stack?: string } }

function startProcess(order: ScheduledBackup): BackupProcess {
  let child: ChildProcess
  try {
    child = fork(PROCESS, { stdio: 'ignore', serialization: 'advanced' })
  } catch (error) {
    // Node throws some errors of a start, as that of a machine without memory, and reports others as an event.
    return { ended: Promise.resolve({ fault: error as Error }), stop: async () => {} }
  }
  const { promise: ended, resolve } = Promise.withResolvers<Said>()
  let said: Said = { fault: { message: 'The process of the backup ended by itself.' } }
  child.on('message', (message: Said) => {
    said = message
  })
  child.on('error', ({ message }) => {
    said = { fault: { message } }
    // It could not be started, so that no 'exit' follows.
    if (child.pid === undefined) resolve(said)
  })
  child.on('exit', () => resolve(said))
  if (child.pid !== undefined) child.send(order, () => {})
  return {
    ended,
    async stop() {
      const limit = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
      if (child.connected) child.disconnect()
      await ended
      clearTimeout(limit)
    },
  }
}

/** Adds the measures of the backups; 0 where there is none. */
export function measureBackups(state: () => Promise<Backups>): void {
  const seconds = (moment: string | null) => (moment === null ? 0 : Date.parse(moment) / 1000)
  measure(
    'boxtree_backup_interval_seconds',
    'How often a backup is to be made.',
    async () => (await state()).every_hours * 3600,
  )
  measure(
    'boxtree_backups',
    'Backups that Boxtree has made by itself and keeps.',
    async () => (await state()).kept,
  )
  measure('boxtree_backup_last_timestamp_seconds', 'When the newest backup was taken.', async () =>
    seconds((await state()).newest),
  )
  measure(
    'boxtree_backup_last_sound_timestamp_seconds',
    'When the newest backup was taken whose test restore is sound.',
    async () => seconds((await state()).sound),
  )
}
