import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The limit of a file's JavaScript heap, in megabytes. A process that exceeds it ends by itself. */
export const MOST_MEMORY_MB = 96

const MAKER = fileURLToPath(new URL('./maker.ts', import.meta.url))
const LIMITS = [`--max-old-space-size=${MOST_MEMORY_MB}`, '--max-semi-space-size=4']

/** A process that has loaded its modules and waits for an order. */
let spare: ChildProcess | null = null

/** Starts the process of the next file ahead, because loading its modules takes longer than the start of a file. */
export function keepSpare(): void {
  if (spare) return
  const started = start()
  const forget = () => {
    if (spare === started) spare = null
  }
  started.on('error', forget)
  started.on('exit', forget)
  // The process could not be started. Its 'error' event follows.
  if (started.pid === undefined) return
  // While it waits, it keeps no program running that has nothing else to do.
  started.unref()
  started.channel?.unref()
  pipeOf(started).unref()
  spare = started
}

export function endSpare(): void {
  spare?.kill('SIGKILL')
  spare = null
}

export function takeProcess(): ChildProcess {
  const taken = spare
  spare = null
  if (!taken) return start()
  taken.ref()
  taken.channel?.ref()
  pipeOf(taken).ref()
  return taken
}

function start(): ChildProcess {
  return fork(MAKER, {
    execArgv: LIMITS,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
}

function pipeOf(process: ChildProcess): Socket {
  return process.stdout as Socket
}
