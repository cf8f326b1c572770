import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartFault } from '../config.ts'
import { configure } from './cluster.ts'
import { codeOf } from './errors.ts'
import { OWN_UID, readOwned } from './files.ts'
import type { Home } from './home.ts'
import { asIds, ENVIRONMENT, programPath, run } from './run.ts'
import { socketPathOf } from './socket-path.ts'

/** Crash recovery long after a checkpoint takes a while, and must not be interrupted. */
const START_LIMIT_MS = 600_000
/** How long a server may take to end by itself, and then to be ended. */
const STOP_LIMIT_MS = 60_000
const PAUSE_MS = 20
/** The server's own user opens its start log: in that user's folder, a link could lead root to another file. */
const LAUNCH = 'umask 077; rm -rf "$2/start.log"; exec "$1" -D "$2" >"$2/start.log" 2>&1'

/** Whether a server runs on the folder: one that a killed console left running, or another console's. */
function isRunning(home: Home): boolean {
  const pid = readPid(home, 'postmaster.pid')
  return pid !== null && servesFolder(pid, home)
}

/** Whether that server was told to stop: it lets nobody in any more, and may wait for ever for those who are in. */
function isStopping(home: Home): boolean {
  return isRunning(home) && /^stopping\s*$/m.test(read(home, 'postmaster.pid'))
}

/**
 * Starts the server unless it runs; one that is stopping is started again. Where two starts race, the server's own lock
 * file lets one succeed, and the other adopts its server.
 * @param stopping aborted when the program is told to stop: a server that is still starting is then stopped
 */
export async function ensureRunning(home: Home, stopping?: AbortSignal): Promise<'adopted' | 'started'> {
  stopping?.throwIfAborted()
  if (isStopping(home)) await stop(home)
  else if (isRunning(home) || (await answers(home))) return 'adopted'
  for (const file of ['postmaster.pid', '.s.PGSQL.5432.lock']) removeStale(home, file)
  await configure(home)
  const logged = readLog(home)
  const ended = launch(home)
  if (await untilReady(home, ended, stopping)) return 'started'
  stopping?.throwIfAborted()
  if (isRunning(home)) return 'adopted'
  throw new StartFault(`PostgreSQL did not start on ${home.cluster}:\n${lastLines(home, logged)}`)
}

/**
 * Whether a server answers in the folder. One that another container runs there, whose processes are not to be seen
 * from here, is told by this alone: a second server beside it would destroy its files.
 */
async function answers(home: Home): Promise<boolean> {
  const socket = socketPathOf(home.cluster)
  const connection = connect(socket.path)
  try {
    await once(connection, 'connect')
    return true
  } catch {
    return false
  } finally {
    connection.destroy()
    socket.forget()
  }
}

/**
 * How a server ends its sessions: with a checkpoint, which writes all that is not on the disk yet; or 'immediate', for
 * files that nobody reads again.
 */
export type StopMode = 'fast' | 'immediate'

/**
 * Stops the server; resolves when no process is left. Where it does not end within a minute, as one that just crashed
 * on a full disk may not, it is ended at once: what was committed is in its log.
 */
export async function stop(home: Home, mode: StopMode = 'fast'): Promise<void> {
  if (!isRunning(home)) return
  const pid = readPid(home, 'postmaster.pid')
  // Another start may have started a server on the folder as soon as this one had ended, for which pg_ctl would wait.
  const runs = () => isRunning(home) && readPid(home, 'postmaster.pid') === pid
  const stopBy = async (mode: StopMode) => {
    const args = ['stop', '-W', '-s', '-m', mode, '-D', home.cluster]
    const { code, output } = await run(programPath(home.binaries, 'pg_ctl'), args, home.runAs)
    const deadline = performance.now() + (code === 0 ? STOP_LIMIT_MS : 0)
    while (runs() && performance.now() < deadline) await pause(PAUSE_MS)
    return output
  }
  let output = await stopBy(mode)
  if (runs()) output = await stopBy('immediate')
  if (runs()) throw new Error(`PostgreSQL did not stop: ${output}`)
  while (pid !== null && children.has(pid)) await pause(PAUSE_MS)
}

/** The pids of servers that this process started, whose end it learns as their parent. */
const children = new Set<number>()

/**
 * Starts the server in a session of its own, so that it outlives a console that is killed, and a Ctrl-C at the
 * terminal does not reach it.
 */
function launch(home: Home): { done: boolean } {
  const ended = { done: false }
  const postgres = programPath(home.binaries, 'postgres')
  const child = spawn('/bin/sh', ['-c', LAUNCH, 'sh', postgres, home.cluster], {
    cwd: '/',
    detached: true,
    env: ENVIRONMENT,
    stdio: 'ignore',
    ...asIds(home.runAs),
  })
  if (child.pid !== undefined) children.add(child.pid)
  const end = () => {
    if (child.pid !== undefined) children.delete(child.pid)
    ended.done = true
  }
  child.on('exit', end).on('error', end).unref()
  return ended
}

/** Waits until the server writes 'ready' into its pid file; returns false where it ended before. */
async function untilReady(
  home: Home,
  ended: { done: boolean },
  stopping: AbortSignal | undefined,
): Promise<boolean> {
  const deadline = performance.now() + START_LIMIT_MS
  while (!ended.done && performance.now() < deadline) {
    // In order, because a service manager soon kills what is left. The next start begins the crash recovery again.
    if (stopping?.aborted) await stop(home)
    else if (isRunning(home) && /^ready\s*$/m.test(read(home, 'postmaster.pid'))) return true
    await pause(PAUSE_MS)
  }
  return false
}

/**
 * Returns why the server did not start: what it wrote before its log was open, and into its log.
 * @param before what was in its log before
 */
function lastLines(home: Home, before: string): string {
  const told = read(home, 'start.log')
    .trim()
    .split('\n')
    .filter((line) => !EXPECTED.test(line))
  const log = readLog(home)
  const since = log.startsWith(before) ? log.slice(before.length) : log
  const fatal = since
    .split('\n')
    .filter((line) => /(FATAL|PANIC):/.test(line) && !OF_A_KILLED_SERVER.test(line))
  return [...told.slice(-5), ...fatal.slice(-3)].join('\n')
}

/** What the connections of a server that was killed still write, which may come only after the next start has begun. */
const OF_A_KILLED_SERVER = /terminating connection due to unexpected postmaster exit/

/** What each start says. */
const EXPECTED = /skipping missing configuration file|redirecting log output|Future log output will appear/

/** Returns the log of the server that was written last; empty where there is none. */
function readLog(home: Home): string {
  const folder = join(home.cluster, 'log')
  try {
    const writtenAt = (name: string) => lstatSync(join(folder, name)).mtimeMs
    const [newest] = readdirSync(folder).toSorted((one, other) => writtenAt(other) - writtenAt(one))
    return newest === undefined ? '' : read(home, join('log', newest))
  } catch {
    return ''
  }
}

function readPid(home: Home, name: string): number | null {
  const pid = Number(read(home, name).split('\n')[0])
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null
}

function read(home: Home, name: string): string {
  return readOwned(join(home.cluster, name), home.runAs?.uid ?? OWN_UID) ?? ''
}

/** Whether a pid is the server of this folder, by its working directory: after a power cut it may be any process. */
function servesFolder(pid: number, home: Home): boolean {
  try {
    if (process.platform === 'linux') return folderOf(pid, home.cluster) === home.cluster
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(
      home.cluster,
    )
  } catch {
    return false
  }
}

/**
 * Returns the working directory of a process. Root in a container may often not read it of another user's process, but
 * its command line anybody may: the server is started with the name of its folder.
 */
function folderOf(pid: number, cluster: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch (error) {
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') throw error
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .find((word) => word === cluster)
  }
}

/** Removes a stale pid file: the server would refuse to start where its pid belongs to another process. */
function removeStale(home: Home, name: string): void {
  // The server would wait for ever to read from a pipe.
  const found = lstatSync(join(home.cluster, name), { throwIfNoEntry: false })
  if (found && !found.isFile()) rmSync(join(home.cluster, name), { force: true })
  const pid = readPid(home, name)
  if (pid === null || servesFolder(pid, home)) return
  const aside = `${name}.stale.${process.pid}`
  const [file, draft] = [join(home.cluster, name), join(home.cluster, aside)]
  try {
    renameSync(file, draft)
    // A concurrent start may have written its own file meanwhile: it is put back.
    if (readPid(home, aside) !== pid) renameSync(draft, file)
    else rmSync(draft)
  } catch {
    // Another start removed it first.
  }
}
