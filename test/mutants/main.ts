import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyRepository } from '../support/copy-repository.ts'
import { MUTANTS, type Mutant } from './mutants.ts'

// Tests the tests: removes one guard at a time from a copy of the repository and runs the suites that must then fail.
// Exits with 1 when a suite passes without its guard. Words on the command line select the guards whose sentence or
// file contains them all.

/** A suite that its mutant makes wait for ever is ended after this time, in milliseconds. */
const LONGEST_MS = 300_000
/** Where a run leaves its results, in the copy. */
const RESULTS = 'results.json'

process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  const chosen = MUTANTS.filter(({ guard, file }) => words.every((word) => `${file} ${guard}`.includes(word)))
  const copy = mkdtempSync(join(tmpdir(), 'boxtree-mutants-'))
  try {
    copyRepository(copy)
    const suites = [...new Set(chosen.flatMap(({ suites }) => suites))]
    if ((await run(copy, suites, { output: 'inherit' })) !== 0)
      throw new Error('The suites fail while every guard is in place.')
    const unnoticed = []
    for (const mutant of chosen) if (!(await isNoticed(copy, mutant))) unnoticed.push(mutant.guard)
    process.stdout.write(
      `The suites notice the removal of ${chosen.length - unnoticed.length} of ${chosen.length} guards.\n`,
    )
    return unnoticed.length === 0 ? 0 : 1
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function isNoticed(copy: string, { guard, file, from, to, suites }: Mutant): Promise<boolean> {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2)
    throw new Error(`For '${guard}', ${file} must contain exactly once:\n${from}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  try {
    const code = await run(copy, suites, { longest: LONGEST_MS })
    process.stdout.write(
      code === 0 ? `NOT NOTICED: ${guard}\n` : `noticed: ${guard}\n  by: ${failedTest(copy)}\n`,
    )
    return code !== 0
  } finally {
    writeFileSync(path, text)
  }
}

/** Returns the title of the test that failed, so that a reader can see whether it is one that should have. */
function failedTest(copy: string): string {
  try {
    const { testResults } = JSON.parse(readFileSync(join(copy, RESULTS), 'utf8')) as Results
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .find(({ status }) => status === 'failed')
    return failed?.fullName ?? 'a suite that could not be read'
  } catch {
    return 'a suite that did not end'
  }
}

/** The results of a run, in the form of Vitest's JSON reporter. */
interface Results {
  testResults: { assertionResults: { status: string; fullName: string }[] }[]
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
