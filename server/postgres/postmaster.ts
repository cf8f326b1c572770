import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../config.ts'
import { configure } from './cluster.ts'
import type { Home } from './home.ts'
import { type Outcome, programPath, run } from './run.ts'

/** Seconds: crash recovery after a long time without a checkpoint may take a while, and must not be cut short. */
const START_LIMIT_S = 600
const STOP_LIMIT_S = 60

/** Whether a server runs on the folder: one that a killed console left behind, or another console's. */
export function isRunning(home: Home): boolean {
  const pid = readPid(home)
  return pid !== null && servesFolder(pid, home)
}

/**
 * Starts the server unless it runs. Where two starts race, the server's own lock file lets one through, and the other
 * finds it running.
 */
export async function ensureRunning(home: Home): Promise<'adopted' | 'started'> {
  if (isRunning(home)) return 'adopted'
  removeStalePid(home)
  configure(home)
  const { code, output } = await control(home, ['start', '-t', String(START_LIMIT_S), '-l', startLog(home)])
  if (code === 0) return 'started'
  if (isRunning(home)) return 'adopted'
  throw new StartFault(
    `PostgreSQL did not start on ${home.cluster}:\n${output}\n${lastLines(startLog(home))}`,
  )
}

/** Ends open sessions, writes everything down and stops; answers when no process is left. */
export async function stop(home: Home): Promise<void> {
  if (!isRunning(home)) return
  const { code, output } = await control(home, ['stop', '-m', 'fast', '-t', String(STOP_LIMIT_S)])
  if (code !== 0 && isRunning(home)) throw new Error(`PostgreSQL did not stop: ${output}`)
}

function control(home: Home, args: string[]): Promise<Outcome> {
  return run(programPath(home.binaries, 'pg_ctl'), ['-w', '-s', '-D', home.cluster, ...args], home.runAs)
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

function readPid(home: Home): number | null {
  try {
    const pid = Number(readFileSync(join(home.cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
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
function removeStalePid(home: Home): void {
  const pid = readPid(home)
  if (pid === null) return
  const file = join(home.cluster, 'postmaster.pid')
  const aside = `${file}.stale`
  try {
    renameSync(file, aside)
    // A start that raced this one may have written its own in between: it goes back.
    if (Number(readFileSync(aside, 'utf8').split('\n')[0]) !== pid) renameSync(aside, file)
    else rmSync(aside)
  } catch {
    // Another start removed it first.
  }
}
