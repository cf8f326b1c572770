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
