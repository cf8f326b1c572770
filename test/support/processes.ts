import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Process = {
  pid: number
  parent: number
  /** Its command line; '' once it has ended, until its parent has heard of that. */
  command: string
  /** Its resident memory, in megabytes. */
  memory: number
}

/**
 * Returns the processes of this machine. Linux tells of them without the program `ps`, which small images do not have.
 */
export function processes(): Process[] {
  if (!existsSync('/proc/self/stat')) return listed()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)) ?? [])
}

function read(pid: number): Process | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const number = (field: string) => Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid, parent: number('PPid'), command, memory: number('VmRSS') / 1024 }
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}

function listed(): Process[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, rss, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid ? [{ pid: Number(pid), parent: Number(parent), command, memory: Number(rss) / 1024 }] : []
  })
}

/** Returns the process of PostgreSQL that started all others on these files; null where none runs. */
export function postmasterIn(cluster: string): number | null {
  try {
    return Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10) || null
  } catch {
    return null
  }
}

/** Returns the same of the console's own database. @throws where none runs */
export function postmasterOf(dataDir: string): number {
  const pid = postmasterIn(join(dataDir, 'postgres-18'))
  if (pid === null) throw new Error(`No database runs in ${dataDir}.`)
  return pid
}

/** Returns whether a process has not ended. One that its parent has not heard the end of has ended, too. */
export function isRunning(pid: number): boolean {
  return processes().some((one) => one.pid === pid && one.command !== '')
}

/** Sends a signal; 0 is none. Returns whether the process is there. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
