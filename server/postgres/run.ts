import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** The user that PostgreSQL runs as; null is the one who runs the console. */
export type RunAs = { uid: number; gid: number } | null

export interface Outcome {
  /** The exit code; -1 when the program could not be started or was ended by a signal. */
  code: number
  output: string
}

/** What PostgreSQL's programs get to see: nothing of the console's own environment, which holds secrets. */
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Runs a program to its end, in a process group of its own so that a Ctrl-C at the terminal leaves it whole.
 */
export function run(program: string, args: string[], runAs: RunAs): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: '/',
      detached: true,
      env: ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(runAs ?? {}),
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => resolve({ code: -1, output: error.message }))
    // 'exit' rather than 'close': the server that pg_ctl leaves behind may hold the pipes.
    child.on('exit', (code) => setImmediate(() => resolve({ code: code ?? -1, output: output.trim() })))
  })
}

/** The path of one of PostgreSQL's programs. */
export function programPath(binaries: string, program: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(binaries, 'bin', program)
}
