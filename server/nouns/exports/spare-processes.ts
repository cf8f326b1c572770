import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The limit of a file's JavaScript heap, in megabytes. A process that exceeds it ends by itself. */
export const MOST_MEMORY_MB = 96

const MAKER = fileURLToPath(new URL('./make-file.ts', import.meta.url))
const LIMITS = [`--max-old-space-size=${MOST_MEMORY_MB}`, '--max-semi-space-size=4']

/** So many are ready: a second file that is asked for at once takes as long to begin as the first. */
const KEPT = 2

/** Processes that have loaded their modules and wait for an order. The one that has waited longest comes first. */
const spares: ChildProcess[] = []

/**
 * Starts the processes of the next files ahead, because loading their modules takes longer than the start of a file.
 */
export function keepSpares(): void {
  while (spares.length < KEPT) {
    const started = startOrNull()
    // The next file then begins a little later.
    if (started === null) return
    const forget = () => {
      const at = spares.indexOf(started)
      if (at >= 0) spares.splice(at, 1)
    }
    started.on('error', forget)
    started.on('exit', forget)
    // The process could not be started. Its 'error' event follows.
    if (started.pid === undefined) return
    // While it waits, it keeps no program running that has nothing else to do.
    started.unref()
    started.channel?.unref()
    pipeOf(started).unref()
    spares.push(started)
  }
}

export function endSpares(): void {
  for (const spare of spares.splice(0)) spare.kill('SIGKILL')
}

export function takeProcess(): ChildProcess {
  const taken = spares.shift()
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

/** Node throws some errors of a start, as that of a machine without memory, and reports others as an event. */
function startOrNull(): ChildProcess | null {
  try {
    return start()
  } catch {
    return null
  }
}

function pipeOf(process: ChildProcess): Socket {
  return process.stdout as Socket
}
