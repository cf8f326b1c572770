import { execFileSync } from 'node:child_process'

const EVERY_MS = 200

/** Samples the resident memory of a process, in megabytes. */
export function watchMemory(pid: number | undefined) {
  const samples = [memoryOf(pid)]
  const timer = setInterval(() => samples.push(memoryOf(pid)), EVERY_MS)
  return {
    samples,
    stop() {
      clearInterval(timer)
      samples.push(memoryOf(pid))
      return { before: samples[0] ?? 0, peak: Math.max(...samples) }
    },
  }
}

function memoryOf(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}
