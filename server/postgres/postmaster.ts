import { execFileSync, spawn } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../config.ts'
import { configure } from './cluster.ts'
import type { Home } from './home.ts'
import { ENVIRONMENT, programPath, run } from './run.ts'

/** Crash recovery after a long time without a checkpoint may take a while, and must not be cut short. */
const START_LIMIT_MS = 600_000
const STOP_LIMIT_S = 60
const PAUSE_MS = 20
/** Root writes here into a folder of the user that the server runs as, and must not be led elsewhere. */
const LOG_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW

/** Whether a server runs on the folder: one that a killed console left behind, or another console's. */
export function isRunning(home: Home): boolean {
  const pid = readPid(home, 'postmaster.pid')
  return pid !== null && servesFolder(pid, home)
}

/**
 * Starts the server unless it runs. Where two starts race, the server's own lock file lets one through, and the other
 * finds it running.
 */
export async function ensureRunning(home: Home): Promise<'adopted' | 'started'> {
  if (isRunning(home)) return 'adopted'
  for (const file of ['postmaster.pid', '.s.PGSQL.5432.lock']) removeStale(home, file)
  configure(home)
  const ended = launch(home)
  if (await untilReady(home, ended)) return 'started'
  if (isRunning(home)) return 'adopted'
  throw new StartFault(`PostgreSQL did not start on ${home.cluster}:\n${lastLines(startLog(home))}`)
}

/** Ends open sessions, writes everything down and stops; answers when no process is left. */
export async function stop(home: Home): Promise<void> {
  if (!isRunning(home)) return
  const pid = readPid(home, 'postmaster.pid')
  const args = ['stop', '-w', '-s', '-m', 'fast', '-t', String(STOP_LIMIT_S), '-D', home.cluster]
  const { code, output } = await run(programPath(home.binaries, 'pg_ctl'), args, home.runAs)
  if (code !== 0 && isRunning(home)) throw new Error(`PostgreSQL did not stop: ${output}`)
  while (pid !== null && children.has(pid)) await pause(PAUSE_MS)
}

/** The servers that this process started: it is told of their end, and so leaves no trace of them. */
const children = new Set<number>()

/**
 * Starts the server in a session of its own, so that it outlives a console that is killed, and a Ctrl-C at the
 * terminal does not reach it.
 */
function launch(home: Home): { done: boolean } {
  const ended = { done: false }
  const log = openSync(startLog(home), LOG_FLAGS, 0o600)
  const child = spawn(programPath(home.binaries, 'postgres'), ['-D', home.cluster], {
    cwd: '/',
    detached: true,
    env: ENVIRONMENT,
    stdio: ['ignore', log, log],
    ...(home.runAs ?? {}),
  })
  closeSync(log)
  if (child.pid !== undefined) children.add(child.pid)
  const end = () => {
    if (child.pid !== undefined) children.delete(child.pid)
    ended.done = true
  }
  child.on('exit', end).on('error', end).unref()
  return ended
}

/** The server writes the word into its own file; false when it ended before. */
async function untilReady(home: Home, ended: { done: boolean }): Promise<boolean> {
  const deadline = Date.now() + START_LIMIT_MS
  while (!ended.done && Date.now() < deadline) {
    if (isRunning(home) && /^ready\s*$/m.test(read(home, 'postmaster.pid'))) return true
    await pause(PAUSE_MS)
  }
  return false
}

function startLog(home: Home): string {
  return join(home.cluster, 'start.log')
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-5).join('\n')
  } catch {
    return ''
  }
}

function readPid(home: Home, name: string): number | null {
  const pid = Number(read(home, name).split('\n')[0])
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null
}

function read(home: Home, name: string): string {
  try {
    return readFileSync(join(home.cluster, name), 'utf8')
  } catch {
    return ''
  }
}

/** After a power cut the number may belong to any process; a server of ours stands in its data folder. */
function servesFolder(pid: number, home: Home): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === home.cluster
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(
      home.cluster,
    )
  } catch {
    return false
  }
}

/** The server itself would refuse to start when a stale file names a process that lives. */
function removeStale(home: Home, name: string): void {
  const pid = readPid(home, name)
  if (pid === null || servesFolder(pid, home)) return
  const file = join(home.cluster, name)
  const aside = `${file}.stale.${process.pid}`
  try {
    renameSync(file, aside)
    // A start that raced this one may have written its own in between: it goes back.
    if (Number(readFileSync(aside, 'utf8').split('\n')[0]) !== pid) renameSync(aside, file)
    else rmSync(aside)
  } catch {
    // Another start removed it first.
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
