import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** The user that PostgreSQL runs as; null for the user of the console. */
export type RunAs = { uid: number; gid: number } | null

interface Outcome {
  /** The exit code; -1 when the program could not be started or was ended by a signal. */
  code: number
  output: string
}

/** The environment of PostgreSQL's programs, without the console's own, which contains secrets. */
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Runs a program to its end, in its own process group, so that a Ctrl-C at the terminal does not interrupt it.
 */
export function run(program: string, args: string[], runAs: RunAs): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: '/',
      detached: true,
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...asIds(runAs),
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => resolve({ code: -1, output: error.message }))
    // 'exit' rather than 'close': the server that pg_ctl starts may keep the pipes open.
    child.on('exit', (code) => setImmediate(() => resolve({ code: code ?? -1, output: output.trim() })))
  })
}

/** Returns whom a process is to run as. Node takes ids with a sign: 4294967294, nobody on macOS, is -2 for it. */
export function asIds(runAs: RunAs): { uid?: number; gid?: number } {
  return runAs ? { uid: runAs.uid | 0, gid: runAs.gid | 0 } : {}
}

/** Returns the path of one of PostgreSQL's programs. */
export function programPath(binaries: string, program: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(binaries, 'bin', program)
}
