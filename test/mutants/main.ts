import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MUTANTS, type Mutant } from './mutants.ts'

// Tests the tests: takes the guards away one at a time, in a copy, and runs the suites that must notice. Exits with 1
// where a guard is missed by nobody. Words given on the command line choose the guards that have them in their names.

const ROOT = join(import.meta.dirname, '../..')
/** What is not copied: too large, or made anew. The packages are linked instead. */
const LEFT = new Set(['node_modules', '.git', 'dist', 'data'])

process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  const chosen = MUTANTS.filter(({ guard }) => words.every((word) => guard.includes(word)))
  const copy = mkdtempSync(join(tmpdir(), 'boxtree-mutants-'))
  try {
    for (const name of readdirSync(ROOT).filter((one) => !LEFT.has(one))) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true })
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    const suites = [...new Set(chosen.flatMap(({ suites }) => suites))]
    if ((await run(copy, suites)) !== 0) throw new Error('The suites fail with every guard in its place.')
    const missed = []
    for (const mutant of chosen) if (!(await isNoticed(copy, mutant))) missed.push(mutant.guard)
    process.stdout.write(
      `${chosen.length - missed.length} of ${chosen.length} guards are missed when they are gone.\n`,
    )
    return missed.length === 0 ? 0 : 1
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function isNoticed(copy: string, { guard, file, from, to, suites }: Mutant): Promise<boolean> {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} does not have once, for '${guard}':\n${from}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  try {
    const code = await run(copy, suites)
    process.stdout.write(`${code === 0 ? 'NOT NOTICED' : 'noticed'}: ${guard}\n`)
    return code !== 0
  } finally {
    writeFileSync(path, text)
  }
}

/** Runs suites in the copy to the first failure, and answers the exit code. */
async function run(copy: string, suites: string[]): Promise<number | null> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--project', 'server', '--bail', '1', ...suites]
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code
}
