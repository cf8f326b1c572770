import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Console, runConsole } from '../test/support/console.ts'

/**
 * Starts the console with its log in a file, as an operator has it. A pipe would wake this process for each line, on
 * the cores that are measured.
 */
export async function startLoggedConsole(dataDir: string): Promise<Console> {
  const folder = mkdtempSync(join(tmpdir(), 'boxtree-bench-'))
  const file = join(folder, 'log')
  const log = openSync(file, 'w')
  const console = runConsole({ dataDir, log })
  closeSync(log)
  const output = () => readFileSync(file, 'utf8')
  const ended = console.exit.then((code) => `The console ended with ${code}:\n${output()}`)
  const stop: Console['stop'] = async (signal) => {
    const code = await console.stop(signal)
    rmSync(folder, { recursive: true })
    return code
  }
  for (;;) {
    const url = /ready on (http[^\s"]+)/.exec(output())?.[1]
    if (url) return { ...console, url, output, stop }
    const words = await Promise.race([ended, pause(50)])
    if (words) throw new Error(words)
  }
}
