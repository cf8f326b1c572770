import { StartFault } from '../config.ts'
import type { Database } from '../postgres/database.ts'
import { codeOf, isDiskFull, isLost } from '../postgres/errors.ts'
import { freeSpaceOf } from '../postgres/files.ts'

const DISK_FULL = 'The disk is full. Make room on it, and try again.'
/**
 * With less free space PostgreSQL may have crashed for lack of it: its log grows by files of 16 MB, and a restart frees
 * some.
 */
const NEXT_TO_NO_ROOM = 64 * 2 ** 20

/**
 * A fault that an operator can mend prints its sentence and exits with 1; any other error is a bug and prints its
 * stack.
 * @param folders how many folders may be named behind the command
 */
export async function runCommand(
  main: () => Promise<number> | Promise<void>,
  folders: 0 | 1 = 0,
): Promise<void> {
  try {
    refuseOthers(process.argv.slice(2), folders)
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence === null) throw error
    process.stderr.write(`${sentence}\n`)
    process.exitCode = 1
  }
}

/** Who asks for help must not start what cannot be taken back. */
function refuseOthers(given: readonly string[], folders: 0 | 1): void {
  const other = given.find((argument, at) => argument.startsWith('-') || at >= folders)
  if (other !== undefined)
    throw new StartFault(
      `This command takes ${folders === 0 ? 'no argument' : 'one folder and nothing else'}, but was given '${other}'. Nothing was done.`,
    )
}

/**
 * Does a command's work on a database, and stops it afterwards. Where the work fails, its error is thrown and not that
 * of the stop, which may have the same cause.
 * @throws StartFault where the database was lost because its disk is full
 */
export async function withDatabase<T>(
  database: Database,
  work: (database: Database) => Promise<T>,
  free = freeSpaceOf,
): Promise<T> {
  let result: T
  const unwatch = stopAtSignal(database)
  try {
    result = await work(database)
  } catch (error) {
    const isFull = database.files !== null && free(database.files) < NEXT_TO_NO_ROOM
    await database.stop().catch(() => {})
    throw isFull && isLost(error) ? new StartFault(DISK_FULL) : error
  } finally {
    unwatch()
  }
  await database.stop()
  return result
}

/**
 * Stops the database where the command is interrupted, which would otherwise run on with nobody to stop it. A command
 * that handles signals itself ends its work first. Returns what ends that.
 */
function stopAtSignal(database: Database): () => void {
  const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).filter(
    (signal) => process.listenerCount(signal) === 0,
  )
  const stop = () => {
    process.stderr.write('Interrupted\n')
    database.stop().finally(() => process.exit(1))
  }
  for (const signal of signals) process.once(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}

/** Returns what to tell the operator of an error that has a remedy; null for a bug. */
export function sentenceOf(error: unknown): string | null {
  if (error instanceof StartFault) return error.message
  const code = codeOf(error)
  if (code === '53100' || isDiskFull(error)) return DISK_FULL
  if (code === '53400')
    return 'The database had no room for what it sorts: a quarter of its disk at most. Give it a larger disk.'
  if (/^(EROFS|EACCES|EPERM)$/.test(code) && error instanceof Error && 'path' in error)
    return `${error.path} cannot be written; check its owner and its mode, and whether its disk may be written.`
  if (/^(ETIMEDOUT|40003)$/.test(code))
    return 'The database did not answer in time, as where a standby is away that each change waits for. A change may have been made all the same. Run the same again, with the same settings, once it answers.'
  if (isLost(error))
    return 'The database was stopped meanwhile, or cannot be reached. Try again once it is there.'
  return null
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
