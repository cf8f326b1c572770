import { StartFault } from '../config.ts'

/** A StartFault prints its sentence and exits with 1; any other error is a bug and prints its stack. */
export async function runCommand(main: () => Promise<number> | Promise<void>): Promise<void> {
  try {
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
