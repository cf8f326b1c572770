import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { readConfig } from '../config.ts'
import { makeFirstLogin } from './first-login.ts'

const KNOWN = 'login: mallory\npassword: known-to-another\n'

let dataDir: string
let draft: string
let database: FreshDatabase
beforeEach(async () => {
  dataDir = freshFolder()
  draft = join(dataDir, 'first-login.draft')
  database = await freshDatabase()
})
afterEach(() => database.drop())

/** Makes the admin as the first start does where there is no terminal. Returns what is then in `first-login`. */
async function firstLogin(): Promise<string> {
  await makeFirstLogin(database.sql, readConfig({ DATA_DIR: dataDir }), false)
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

  test('is not written again at later starts, for which the disk may be full', async () => {
    const config = readConfig({ DATA_DIR: dataDir })
    await makeFirstLogin(database.sql, config, false)
    rmSync(dataDir, { recursive: true })
    expect(await makeFirstLogin(database.sql, config, false)).toBe(null)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('is forgotten at the next start where the admin has signed in, at another server', async () => {
    const config = readConfig({ DATA_DIR: dataDir })
    expect(await makeFirstLogin(database.sql, config, false)).toBe(
      `First login: in ${join(dataDir, 'first-login')}`,
    )
    await database.sql`
      insert into sign_in (account, at, outcome, address, agent)
      select id, now(), 'succeeded', '203.0.113.9', '' from account`
    expect(await makeFirstLogin(database.sql, config, false)).toBe(null)
    expect(existsSync(join(dataDir, 'first-login'))).toBe(false)
  })

  test('is a new one where the draft is a pipe, which nobody is waited for', async () => {
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', draft])
    expect(await firstLogin()).toMatch(/^login: admin\npassword: \S{19}\n$/)
  })
})
