import { StartFault } from '../config.ts'
import { codeOf, isLost } from '../postgres/errors.ts'

/** A fault that an operator can mend prints its sentence and exits with 1; any other error is a bug and prints its stack. */
export async function runCommand(main: () => Promise<number> | Promise<void>): Promise<void> {
  try {
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === null) throw error
    process.stderr.write(`${sentence}\n`)
    process.exitCode = 1
  }
}

/** Returns what to tell the operator of an error that has a remedy; null for a bug. */
export function sentenceOf(error: unknown): string | null {
  if (error instanceof StartFault) return error.message
  const code = codeOf(error)
  if (/^(53100|ENOSPC|EDQUOT)$/.test(code)) return 'The disk is full. Make room on it, and try again.'
  if (code === '53400')
    return 'The database had no room for what it sorts: a quarter of its disk at most. Give it a larger disk.'
  if (/^(EROFS|EACCES|EPERM)$/.test(code) && error instanceof Error && 'path' in error)
    return `${error.path} cannot be written; check its owner and its mode, and whether its disk may be written.`
  if (isLost(error))
    return 'The database was stopped meanwhile, or cannot be reached. Try again once it is there.'
  return null
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
