import type { TestContext } from 'vitest'

/**
 * Whether this machine offers what tests need. Where it does not they are skipped, and the run says which ones and why.
 * @param tests the sentence's subject, such as 'The tests of a console that root starts'
 */
export function offers(isThere: boolean, tests: string, need: string): boolean {
  if (!isThere) process.stdout.write(`${tests} are skipped, because they need ${need}.\n`)
  return isThere
}

/** The same for tests that only root can make. */
export function isRoot(tests: string): boolean {
  return offers(process.getuid?.() === 0, tests, 'root')
}

/** Where programs are, with Debian's folder of servers, which is in no PATH but root's. */
export const PATH = `${process.env.PATH}:/usr/sbin`

/**
 * Skips the test that is running, because this machine lacks a program, and says so: the summary only counts what is
 * skipped.
 */
export function skipWithout(
  { skip, task }: Pick<TestContext, 'skip' | 'task'>,
  program: string,
  how = program,
): never {
  const reason = `${program} is not installed: apt-get install ${how}`
  process.stdout.write(`'${task.name}' is skipped: ${reason}.\n`)
  return skip(reason)
}
