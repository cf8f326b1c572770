import { execFileSync } from 'node:child_process'
import { chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Console, runConsole } from '../../test/support/console.ts'
import { freshFolder } from '../../test/support/folder.ts'

const KNOWN = 'login: mallory\npassword: known-to-another\n'

let dataDir: string
let draft: string
let running: Pick<Console, 'stop'> | null
beforeEach(() => {
  dataDir = freshFolder()
  draft = join(dataDir, 'first-login.draft')
  running = null
})
afterEach(async () => {
  await running?.stop()
})

/** Starts the console for the first time. Returns what it left in `first-login`. */
async function firstLogin(): Promise<string> {
  const console = runConsole({ dataDir })
  running = console
  await console.ready
  return readFileSync(join(dataDir, 'first-login'), 'utf8')
}

describe('the first login', () => {
  test('is that of the draft which an interrupted start left behind', async () => {
    writeFileSync(draft, 'login: owner\npassword: of-the-first-start\n', { mode: 0o600 })
    expect(await firstLogin()).toBe('login: owner\npassword: of-the-first-start\n')
  })

  test('is a new one where the start was interrupted in the middle of the draft', async () => {
    writeFileSync(draft, 'login: admin\npass', { mode: 0o600 })
    expect(await firstLogin()).toMatch(/^login: admin\npassword: \S{19}\n$/)
  })

  test.runIf(process.getuid?.() === 0)('is a new one where another user planted the draft', async () => {
    writeFileSync(draft, KNOWN)
    chownSync(draft, 65_534, 65_534)
    expect(await firstLogin()).toMatch(/^login: admin\npassword: \S{19}\n$/)
  })

  test('is a new one where the draft is a pipe, which nobody is waited for', async () => {
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', draft])
    expect(await firstLogin()).toMatch(/^login: admin\npassword: \S{19}\n$/)
  })
})
