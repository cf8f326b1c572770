import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { FastifyInstance } from 'fastify'
import type { ServerReport } from '../contract/system.ts'
import { makeFirstLogin } from './access/first-login.ts'
import { makeSecretKey } from './access/key-check.ts'
import { watchNetworks } from './access/network.ts'
import { createSeal, type Seal } from './access/seal.ts'
import { findSecretKey } from './access/secret-key.ts'
import { type AppDependencies, openApp, openBoxApp } from './app.ts'
import { reserveOf } from './backup/reserve.ts'
import { measureBackups, openBackups } from './backup/scheduler.ts'
import { openGateway } from './boxes/gateway.ts'
import { say, sentenceOf } from './commands/command.ts'
import { type Config, readConfig, StartFault } from './config.ts'
import { requirePage } from './corridor/console.ts'
import { openMetrics } from './corridor/metrics-server.ts'
import { openHeartbeat } from './jobs/heartbeat.ts'
import { startJobs } from './jobs/jobs.ts'
import { openReport, type Ports } from './jobs/report.ts'
import type { Day } from './ledger/calendar.ts'
import { trialsOfBoxes } from './ledger/trials.ts'
import { disputedFrom } from './ledger/zone-rules.ts'
import { addressOf, isOfThisMachine, type Listening, listen, portOf } from './listening.ts'
import { endLog, openLog, openStderr } from './log.ts'
import { measure } from './metrics.ts'
import { keepSpares } from './nouns/exports/spare-processes.ts'
import { startClock } from './postgres/clock.ts'
import { openDatabase } from './postgres/database.ts'
import { markOf } from './postgres/database-mark.ts'
import { freeSpaceOf } from './postgres/files.ts'
import { refuseUnfit } from './postgres/fit.ts'
import { migrate } from './postgres/migrate.ts'
import { CONNECTIONS, MOST_CHANGES, openPool } from './postgres/pool.ts'
import { watchPrimary } from './postgres/primary.ts'
import { noteTimeZone, otherZoneBefore } from './postgres/time-zone.ts'

// Without this, the heap of new objects grows and makes nothing faster: memory under load nearly doubles.
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--heap-growing-percent=30')

/** How long requests under way may take to end when the console stops, in milliseconds. */
const DRAIN_MS = 10_000

/** When the console has time to load what the first file needs, in milliseconds after it is ready. */
const SETTLED_MS = 1_000

/** @param code the exit code, which is not 0 after a fault */
type Step = (code: number) => Promise<unknown>

const stderr = openStderr()
const log = openLog(stderr)
// Sentences for the person at a terminal go to stdout. Where there is none they are lines of the log, at any level of
// it.
const events = openLog(stderr, 'info')
const tell = process.stdout.isTTY ? say : (sentence: string) => events.info(sentence)

/** Undoes the steps of the start, the latest first. */
const undo: Step[] = []
/** Stops the work that nobody has asked for, while the requests under way are completed. */
const stopWork: (() => Promise<unknown>)[] = []
const stopping = new AbortController()
let ending = false

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(0))
// The launcher was killed without a signal to this process, which should end with it.
process.on('disconnect', () => end(0))
process.on('uncaughtException', (error) => fail(error, error instanceof StartFault ? error.message : null))
process.removeAllListeners('warning').on('warning', (warning) => log.warn({ err: warning }, 'Node warns'))
process.channel?.unref()

/** Where boxes are served once the console is ready, such as `http://localhost:8088`; null where they are not. */
export let portal: string | null = null

const started = start()
await started.catch((error) => fail(error, sentenceOf(error)))

async function start(): Promise<void> {
  const config = readConfig(process.env)
  log.level = config.logLevel
  if (config.serve.console) requirePage()
  if (config.captcha.provider === 'none')
    warn('CAPTCHA_PROVIDER is none: programs can try passwords as easily as people')
  if (config.serve.console && !isOfThisMachine(config.host) && config.trustedProxies.length === 0)
    warn(
      `HOST is ${config.host}, and TRUSTED_PROXIES names no proxy: passwords come from other machines without encryption. Put a proxy with TLS in front of the console (deploy/ has samples) and name it there.`,
    )
  const found = findSecretKey(config)
  const data = await openData(config)
  const secretKey = found ?? (await step(() => makeSecretKey(data.sql, config)))
  measureAll(config, data)
  const firstLogin = config.serve.console ? await step(() => makeFirstLogin(data.sql, config)) : null
  const opened: Opened = { ...data, config, secretKey, seal: createSeal(secretKey) }
  const backups = backupsOf(opened)
  const ports: Ports = { console: null, boxes: null }
  const heartbeat = heartbeatOf(opened, ports, backups)
  // Before the apps, so that it is closed after them: Prometheus must not miss a server that drains.
  const metrics = config.metrics && openMetrics()
  if (metrics) undo.push(() => metrics.close())
  const { console, boxes, gateway } = await openApps(opened, heartbeat.report)
  startWork(opened, backups)
  await serve(config, { console, boxes, metrics })
  if (console) ports.console = portOf(console)
  const ofBoxes = gateway && (boxes ?? console)
  if (ofBoxes) {
    ports.boxes = portOf(ofBoxes)
    portal = addressOf(ofBoxes, config)
  }
  const told = await firstLogin?.(process.stdout.isTTY)
  const zoneBefore = await otherZoneBefore(data.sql, config.timeZone)
  const disputed = await disputedFrom(data.sql, config.timeZone, new Date())
  heartbeat.start()
  if (console) tell(`Boxtree is ready on ${addressOf(console, config)}`)
  if (boxes) tell(`Boxes are served on ${addressOf(boxes, config)}`)
  if (told) tell(told.line)
  if (zoneBefore !== null) warn(otherZone(config.timeZone, zoneBefore))
  if (disputed !== null) warn(disputedZone(config.timeZone, disputed))
  // Only what was said is not said again by the next start. Where the database is lost in this moment, it is.
  void told?.done?.().catch(() => {})
  void noteTimeZone(data.database.owner, config.timeZone).catch(() => {})
  // Files are made for the console alone.
  if (console) setTimeout(keepSpares, SETTLED_MS).unref()
}

/** Each expiry, trial and sum of a day would end at another hour, which nobody would notice for weeks. */
function otherZone(zone: string, before: string): string {
  return `TIME_ZONE is ${zone}, and was ${before} at the last start: days end at another hour from now on. If that was not meant, set it back and start again.`
}

function disputedZone(zone: string, from: Day): string {
  return `Node.js and PostgreSQL have different rules for ${zone} from ${from} on, because those of one are older: dates in files, and searches for a date, can be a day off. Update the older one, or set TIME_ZONE to a zone with the same hours whose rules have not changed.`
}

function warn(sentence: string): void {
  if (process.stdout.isTTY) say(sentence)
  else log.warn(sentence)
}

type Opened = Awaited<ReturnType<typeof openData>> & { config: Config; secretKey: Buffer; seal: Seal }

type OwnBackups = ReturnType<typeof openBackups>

/** Opens the database, brings its tables forward, and reads its time and which server is its primary. */
async function openData(config: Config) {
  const database = await step(() => openDatabase(config, tell, { stopping: stopping.signal }))
  undo.push(() => database.stop())
  await step(() => refuseUnfit(database.server, config.timeZone, warn))
  await step(() => migrate({ ...database, say: tell, stopping: stopping.signal }))
  // The pool is opened before the clock and the watch of the primary, whom it tells of its connections.
  let [onOpen, onClose] = [() => {}, () => {}]
  const sql = openPool(database.server, {
    max: CONNECTIONS,
    changes: MOST_CHANGES,
    onOpen: () => onOpen(),
    onClose: () => onClose(),
  })
  undo.push(() => sql.end({ timeout: 5 }))
  const clock = await step(() => startClock(sql, log))
  undo.push(async () => clock.stop())
  const primary = watchPrimary(sql, log)
  await primary.read()
  undo.push(async () => primary.stop())
  onOpen = () => {
    void clock.read()
    void primary.read()
  }
  onClose = primary.onLoss
  const { files } = database
  const freeSpace = files === null ? null : () => freeSpaceOf(files)
  return { database, sql, clock, primary, freeSpace }
}

function backupsOf({ config, database, sql, secretKey, clock }: Opened): OwnBackups | null {
  if (!config.backups) return null
  return openBackups({
    plan: config.backups,
    markOf: () => markOf(sql),
    owner: database.owner,
    key: secretKey,
    reserve: reserveOf(database.files, config),
    timeZone: config.timeZone,
    log,
    clock: clock.now,
  })
}

function heartbeatOf(opened: Opened, ports: Ports, backups: OwnBackups | null) {
  const { sql, primary } = opened
  const leaving = stopping.signal
  const id = randomUUID()
  const report = openReport({
    ...opened,
    id,
    leaving,
    ports,
    databaseHost: primary.host,
    backups: () => backups?.state() ?? null,
  })
  const heartbeat = openHeartbeat({ id, sql, report, leaving })
  undo.push(() => heartbeat.stop())
  return { ...heartbeat, report }
}

/** Each server is null where it is not to be served by this process, or not apart. */
async function openApps(opened: Opened, report: () => Promise<ServerReport>) {
  const { config, database, sql, clock, seal } = opened
  const networks = watchNetworks(config.trustedProxies, clock.now)
  const gateway = config.serve.boxes
    ? openGateway({
        sql,
        seal,
        networks,
        log,
        clock: clock.now,
        zone: config.timeZone,
        mayShareTrial: trialsOfBoxes({ zone: config.timeZone, trialsPerDay: config.trialsPerDay }),
        streams: config.streams,
      })
    : null
  if (gateway) undo.push(() => gateway.stop())
  const needed: AppDependencies = {
    ...opened,
    database: database.server,
    log,
    networks,
    gateway,
    leaving: stopping.signal,
    report,
  }
  const console = config.serve.console ? await step(() => openApp(needed)) : null
  const isApart = config.boxPort !== null || !config.serve.console
  const boxes = gateway && isApart ? await step(() => openBoxApp(needed, gateway)) : null
  undo.push((code) => {
    const seconds = code === 0 ? config.drainSeconds : 0
    const apps = [console, boxes].map((app) => app && drain(app, seconds))
    return Promise.all([...apps, ...stopWork.map((stop) => stop())])
  })
  return { console, boxes, gateway }
}

function startWork({ config, sql, clock, seal }: Opened, backups: OwnBackups | null): void {
  const { timeZone: zone, keepDays, playlist } = config
  const jobs = startJobs({ sql, zone, keepDays, playlist, seal, log, clock: clock.now })
  // What it has not done by then is rolled back, and done by the next server.
  stopWork.push(() => Promise.race([jobs.stop(), pause(DRAIN_MS, undefined, { ref: false })]))
  if (!backups) return
  measureBackups(backups.state)
  backups.start()
  stopWork.push(() => backups.stop())
}

async function serve(
  config: Config,
  { console, boxes, metrics }: Record<'console' | 'boxes' | 'metrics', FastifyInstance | null>,
): Promise<void> {
  const { host, port, boxPort } = config
  const at: Listening = { host, port, variable: 'PORT' }
  if (boxes)
    await step(() => listen(boxes, boxPort === null ? at : { ...at, port: boxPort, variable: 'BOX_PORT' }))
  if (console) await step(() => listen(console, at))
  if (config.metrics && metrics) {
    const place: Listening = { ...config.metrics, variable: 'METRICS_PORT' }
    await step(() => listen(metrics, place))
    tell(`Metrics are served on ${addressOf(metrics, config.metrics)}/metrics`)
  }
}

function measureAll({ freeDiskMb }: Config, { clock, freeSpace }: Pick<Opened, 'clock' | 'freeSpace'>): void {
  measure(
    'boxtree_pool_connections',
    'Connections to the database that the pool may have.',
    () => CONNECTIONS,
  )
  measure(
    'boxtree_clock_offset_seconds',
    "How far the clock of this machine is ahead of the database's.",
    () => clock.offset() / 1000,
  )
  if (freeSpace === null) return
  measure('boxtree_disk_free_bytes', 'Free space on the disk of the embedded database.', freeSpace)
  measure(
    'boxtree_disk_least_bytes',
    'With less free space on that disk changes are refused.',
    () => freeDiskMb * 2 ** 20,
  )
}

/** Runs a step of the start, unless the console was told to stop: it then ends between two steps. */
async function step<T>(work: () => Promise<T>): Promise<T> {
  stopping.signal.throwIfAborted()
  return work()
}

/**
 * Goes on for some seconds, in which load balancers read that it is no longer ready. Then takes no more requests, and
 * waits for those under way up to the limit.
 */
async function drain(app: FastifyInstance, seconds: number): Promise<void> {
  await pause(seconds * 1000)
  const limit = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
  await app.close()
  clearTimeout(limit)
}

function end(code: number): void {
  if (ending) return
  ending = true
  void windDown(code)
}

async function windDown(code: number): Promise<void> {
  stopping.abort()
  await started.catch(() => {})
  if (code === 0 && undo.length > 0) tell('Stopping')
  for (const step of undo.reverse()) {
    try {
      await step(code)
    } catch (error) {
      log.error(error)
      code = 1
    }
  }
  await endLog(stderr)
  process.exit(code)
}

/** @param sentence what the operator is told instead of the error and where it was thrown; null for a bug */
function fail(error: unknown, sentence: string | null): void {
  if (stopping.signal.aborted) return
  if (sentence === null) log.fatal(error)
  else if (process.stderr.isTTY) process.stderr.write(`${sentence}\n`)
  else log.fatal(sentence)
  end(1)
}
