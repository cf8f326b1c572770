import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

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
      return { before: samples[0] ?? 0, peak: Math.max(...samples) }
    },
  }
}

function memoryOf(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}

/** Returns 0 while no child runs the program. */
function memoryOfChild(pid: number | undefined, program: string): number {
  const children = execFileSync('ps', ['-o', 'rss=,args=', '--ppid', String(pid)], { encoding: 'utf8' })
  const found = children.split('\n').filter((line) => line.includes(program))
  return Math.max(0, ...found.map((line) => Number.parseInt(line, 10))) / 1024
}

/** The unit of /proc: a hundredth of a second. */
const TICK_MS = 10

/** Returns the processor time that a process has spent so far, in milliseconds. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Returns the most memory that a process has had resident so far, in megabytes. */
export function highestMemory(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024
}
