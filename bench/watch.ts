import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MAJOR } from '../server/postgres/binaries.ts'
import { postmasterIn, processes } from '../test/support/processes.ts'

const EVERY_MS = 200

/** Samples the resident memory of a process, or of its largest child that runs a program, in megabytes. */
export function watchMemory(pid: number | undefined, program?: string) {
  const sample = () => (program ? memoryOfChild(pid, program) : memoryOf(pid))
  const samples = [sample()]
  const timer = setInterval(() => samples.push(sample()), EVERY_MS)
  return {
    samples,
    stop() {
      clearInterval(timer)
      samples.push(sample())
      return { peak: Math.max(...samples) }
    },
  }
}

function memoryOf(pid: number | undefined): number {
  return statusOf(pid, 'VmRSS')
}

/** Returns 0 while no child runs the program. */
function memoryOfChild(pid: number | undefined, program: string): number {
  const found = processes().filter(({ parent, command }) => parent === pid && command.includes(program))
  return Math.max(0, ...found.map(({ memory }) => memory))
}

/** A time in which the disk completed nothing of what it was asked for, in milliseconds since 1970. */
export interface StandStill {
  from: number
  to: number
}

const DISK_EVERY_MS = 25
/** A busy disk takes less for one request. */
const STANDS_MS = 250

/**
 * Watches the disk of a folder: a virtual one stands still at times, and what waits for it does too. Returns the function that
 * ends it and tells when it stood still.
 */
export function watchDisk(folder: string): () => StandStill[] {
  const disk = diskOf(folder)
  const found: StandStill[] = []
  let completed = completedBy(disk).completed
  let [from, to] = [Date.now(), Date.now()]
  const look = () => {
    const { completed: now, underWay } = completedBy(disk)
    const at = Date.now()
    if (now === completed && underWay > 0) {
      to = at
      return
    }
    if (to - from >= STANDS_MS) found.push({ from, to })
    from = to = at
    completed = now
  }
  const timer = setInterval(look, DISK_EVERY_MS)
  return () => {
    clearInterval(timer)
    look()
    return found
  }
}

/** Returns the numbers by which /proc/diskstats names a folder's disk. */
function diskOf(folder: string): string {
  const { dev } = statSync(folder)
  // The kernel spreads the bits of both numbers like this.
  const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)]
  return `${major} ${minor}`
}

/** Returns how many requests a disk has completed so far, and how many it has not; none where it is not listed. */
function completedBy(disk: string): { completed: number; underWay: number } {
  const lines = readFileSync('/proc/diskstats', 'latin1').split('\n')
  const fields = lines.map((line) => line.trim().split(/ +/))
  const [, , , ...counts] = fields.find(([major, minor]) => `${major} ${minor}` === disk) ?? []
  const count = (at: number) => Number(counts[at] ?? 0)
  const [reads, writes, underWay, discards, flushes] = [count(0), count(4), count(8), count(11), count(15)]
  return { completed: reads + writes + discards + flushes, underWay }
}

/** The unit of /proc: a hundredth of a second. */
const TICK_MS = 10

/** Returns the processor time that a process has spent so far, in milliseconds. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/**
 * Returns the processor time of a process and all beneath it so far, also of those that have ended, in milliseconds.
 */
export function familyTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g) ?? []
    return children.reduce((sum, child) => sum + familyTime(Number(child)), own)
  } catch {
    // It has ended meanwhile, and counts among what its parent waited for.
    return 0
  }
}

/** Returns the most memory that a process has had resident so far, in megabytes. */
export function highestMemory(pid: number): number {
  return statusOf(pid, 'VmHWM')
}

/** Returns a field of a process's status that Linux gives in kilobytes, in megabytes. */
function statusOf(pid: number | undefined, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024
}

/** Returns the id of the process of the embedded database that others are beneath. */
export function postmasterOf(dataDir: string): number {
  const pid = postmasterIn(join(dataDir, `postgres-${MAJOR}`))
  if (pid === null) throw new Error(`No database runs in ${dataDir}`)
  return pid
}
