import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MUTANTS } from './mutants/mutants.ts'

const ROOT = join(import.meta.dirname, '..')

test.each(MUTANTS)('the code that a mutant replaces occurs once: $guard', ({ file, from, to, suites }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(from)).toHaveLength(2)
  expect(to).not.toBe(from)
  for (const suite of suites) expect(readFileSync(join(ROOT, suite), 'utf8')).toMatch(/\btest[.(]/)
})
