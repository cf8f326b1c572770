import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
/** What a process of ours gets of this one's variables. */
export const INHERITED = { PATH, HOME, NODE_COMPILE_CACHE }

export interface Console {
  /** `http://localhost:PORT` */
  url: string
  process: ChildProcess
  /** Returns what it has printed so far to stdout and stderr. */
  output(): string
  /** Sends the signal to the console. Returns its exit code (null after a SIGKILL). */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface ConsoleOptions {
  dataDir: string
  /** The folder of the program; by default this repository. */
  root?: string
  env?: Record<string, string>
  /** Starts through `boxtree.mjs`, as `npm start` does, instead of the server itself. */
  launcher?: boolean
  /** Runs another program that starts the console, such as the demonstration. */
  program?: string
  /** A command that runs the words after it, such as `unshare`. It must become the console, not start it. */
  within?: readonly string[]
  /** The file that it writes its log to, which is then not in its output. */
  log?: number
}

/** Starts the real console as a process on a free port. Returns when it is ready. */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const child = runConsole(options)
  const url = await child.ready
  return { url, ...child }
}

/** Runs the console without waiting until it is ready: for starts that must fail. */
export function runConsole({
  dataDir,
  root = ROOT,
  env = {},
  launcher = false,
  program = 'server/main.ts',
  within = [],
  log,
}: ConsoleOptions) {
  const started = launcher ? ['boxtree.mjs', 'start'] : [program]
  const [command, ...args] = [...within, process.execPath, ...started] as [string, ...string[]]
  const child = spawn(command, args, {
    cwd: root,
    env: { ...INHERITED, DATA_DIR: dataDir, PORT: '0', ...env },
    // When the test run is killed this channel closes, and the console stops.
    stdio: ['ignore', 'pipe', log ?? 'pipe', 'ipc'],
  })
  let output = ''
  let isReady = false
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  const ready = new Promise<string>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk
      if (isReady) return
      const url = /ready on (http[^\s"]+)/.exec(output)?.[1]
      isReady = url !== undefined
      if (url) resolve(url)
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    exit.then((code) => reject(new Error(`The console ended with ${code}:\n${output}`)))
  })
  // Tests of a start that fails look at `exit` instead.
  ready.catch(() => {})
  return {
    process: child,
    ready,
    exit,
    output: () => output,
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal)
      return exit
    },
  }
}
