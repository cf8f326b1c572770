import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyRepository } from '../support/copy-repository.ts'
import { MUTANTS, type Mutant } from './mutants.ts'

// Tests the tests: removes one guard at a time from a copy of the repository and runs the suites that must then fail.
// Exits with 1 when no test notices that a guard is gone. Words on the command line select the guards whose sentence or
// file contains them all.

/** How long a test and the hook after it may wait until they fail by themselves, in milliseconds. */
const WAITING_MS = 240_000
/** Where a run leaves its results, in the copy. */
const RESULTS = 'results.json'

process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  const chosen = MUTANTS.filter(({ guard, file }) => words.every((word) => `${file} ${guard}`.includes(word)))
  const copy = mkdtempSync(join(tmpdir(), 'boxtree-mutants-'))
  try {
    copyRepository(copy)
    const suites = [...new Set(chosen.flatMap(({ suites }) => suites))]
    const began = performance.now()
    if ((await run(copy, suites, { output: 'inherit' })) !== 0)
      throw new Error('The suites fail while every guard is in place.')
    const longest = 3 * (performance.now() - began) + WAITING_MS
    const unnoticed = []
    for (const mutant of chosen) if (!(await isNoticed(copy, mutant, longest))) unnoticed.push(mutant.guard)
    process.stdout.write(
      `The suites notice the removal of ${chosen.length - unnoticed.length} of ${chosen.length} guards.\n`,
    )
    return unnoticed.length === 0 ? 0 : 1
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function isNoticed(copy: string, mutant: Mutant, longest: number): Promise<boolean> {
  const { guard, file, from, to, suites } = mutant
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2)
    throw new Error(`For '${guard}', ${file} must contain exactly once:\n${from}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  try {
    const { isNoticed, says } = judge(copy, await run(copy, suites, { longest }))
    process.stdout.write(`${isNoticed ? 'noticed' : 'NOT NOTICED'}: ${guard}\n  ${says}\n`)
    return isNoticed
  } finally {
    writeFileSync(path, text)
  }
}

/**
 * Judges a run by its exit code and its results, with what a reader needs to see whether the right test has failed. A
 * guard is noticed by a test that fails, also at its own time limit; by what is done before or after tests that were
 * loaded; or by an error that no test caught, as one is that would end the server. A run in which the suites could not be
 * loaded, broke off or did not end says nothing about the guard.
 */
function judge(copy: string, code: number | null): { isNoticed: boolean; says: string } {
  if (code === 0) return { isNoticed: false, says: 'Every test passes.' }
  if (code === null) return { isNoticed: false, says: 'ERROR: The suites did not end.' }
  const results = resultsOf(copy)
  if (results === null) return { isNoticed: false, says: 'ERROR: No suite was run.' }
  const failed = results
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  if (failed) return { isNoticed: true, says: `by: ${failed.fullName}` }
  const suite = results.find(({ status }) => status === 'failed')
  if (!suite) return { isNoticed: true, says: 'by: an error that no test caught' }
  const { name, message, assertionResults } = suite
  return assertionResults.length > 0 && message !== ''
    ? { isNoticed: true, says: `by: what is done before or after the tests: ${message}` }
    : { isNoticed: false, says: `ERROR: ${name} could not be loaded, or broke off. ${message}` }
}

/** Returns the results of the last run; null where none were written, or no suite was found. */
function resultsOf(copy: string): SuiteResult[] | null {
  const path = join(copy, RESULTS)
  if (!existsSync(path)) return null
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as { testResults: SuiteResult[] }
  return testResults.length === 0 ? null : testResults
}

/** The result of a suite, in the form of Vitest's JSON reporter. */
interface SuiteResult {
  name: string
  status: string
  /** Why the suite could not be loaded, or a hook failed. */
  message: string
  assertionResults: { status: string; fullName: string }[]
}

/** Runs suites in the copy up to the first failure. Returns the exit code; null where they did not end. */
async function run(
  copy: string,
  suites: string[],
  { output = 'ignore', longest }: { output?: 'inherit' | 'ignore'; longest?: number },
): Promise<number | null> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const projects = ['unit', 'server', 'alone', 'laws', 'faults'].flatMap((name) => ['--project', name])
  const reporters = ['--reporter', output === 'inherit' ? 'default' : 'json', '--outputFile.json', RESULTS]
  const args = [vitest, 'run', ...projects, '--bail', '1', ...reporters, ...suites]
  rmSync(join(copy, RESULTS), { force: true })
  const child = spawn(process.execPath, args, {
    cwd: copy,
    stdio: ['ignore', output, output],
    // A group of its own, because what waits for ever may be a process that the suites have started.
    detached: true,
  })
  const limit = longest && setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), longest)
  const [code] = await once(child, 'exit')
  clearTimeout(limit)
  return code
}
