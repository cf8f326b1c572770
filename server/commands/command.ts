import { StartFault } from '../config.ts'

/**
 * Runs a command of the terminal, which exits with what `main` answers, by default 0. A StartFault is a sentence for
 * the person there, and an exit with 1; any other error is ours, and shows where it came from.
 */
export async function runCommand(main: () => Promise<number> | Promise<void>): Promise<void> {
  try {
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** Tells the person at the terminal. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
