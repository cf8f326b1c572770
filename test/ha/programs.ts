import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { postmasterIn, processes, signal } from '../support/processes.ts'

/** Debian's packages that must be there, with a program of each. */
const PACKAGES = {
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
}

/** Returns a sentence about the packages that are missing; null where none is. */
export function whatIsMissing(): string | null {
  const missing = Object.entries(PACKAGES).flatMap(([name, program]) => (existsSync(program) ? [] : [name]))
  if (missing.length === 0) return null
  return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; install what is needed with: apt-get install --no-install-recommends ${Object.keys(PACKAGES).join(' ')}`
}

export const CADDY = '/usr/bin/caddy'

/** The account of Debian's PostgreSQL, which refuses to run as root; null where this is not root. */
const RUN_AS = process.getuid?.() === 0 ? accountOf('postgres') : null

const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'

/** All programs that were started here, so that none is left. */
const started = new Set<ChildProcess>()

/** Starts a program that runs until it is killed. Its output goes to a file. */
export function startProgram(
  command: string,
  args: readonly string[],
  { env = {}, log, asRoot = false }: { env?: Record<string, string>; log: string; asRoot?: boolean },
): ChildProcess {
  const output = openSync(log, 'a')
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', output, output],
    // A group of its own: Ctrl-C at the terminal is for this program alone, which then ends them all.
    detached: true,
    ...(asRoot ? {} : (RUN_AS ?? {})),
  })
  started.add(child)
  child.on('exit', () => started.delete(child))
  return child
}

/** Makes a folder for the programs that run here. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { mode: 0o700 })
  if (RUN_AS) chownSync(folder, RUN_AS.uid, RUN_AS.gid)
}

/** Writes a file that only they can read. */
export function write(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
  if (RUN_AS) chownSync(file, RUN_AS.uid, RUN_AS.gid)
}

/** Kills all that was started here, at once. */
export function killPrograms(): void {
  for (const child of started) endGroup(child)
}

/** Kills a program with all that it has started in its group. */
export function endGroup(child: ChildProcess | null): void {
  if (child?.pid) signal(-child.pid, 'SIGKILL')
}

/** Returns the processes of the PostgreSQL in a data folder, the first of which starts the others. */
export function postgresIn(folder: string): number[] {
  const first = postmasterIn(folder)
  if (first === null) return []
  const all = processes()
  const isIts = all.some(({ pid, command }) => pid === first && command.includes(folder))
  return isIts ? [first, ...all.filter(({ parent }) => parent === first).map(({ pid }) => pid)] : []
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function accountOf(name: string): { uid: number; gid: number } | null {
  const line = readText('/etc/passwd')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null
}

/** Runs a program to its end. Returns what it printed. */
export async function runProgram(command: string, args: readonly string[]): Promise<string> {
  const env = { PATH, LANG: 'C.UTF-8' }
  const { stdout } = await promisify(execFile)(command, args, { encoding: 'utf8', env, ...(RUN_AS ?? {}) })
  return stdout
}
