import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { isRoot } from '../../test/support/needs.ts'
import { type Config, readConfig } from '../config.ts'
import { makeFirstLogin } from './first-login.ts'
import { isPassword } from './password.ts'

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
  await makeFirstLogin(database.sql, readConfig({ DATA_DIR: dataDir }))
  return readFileSync(join(dataDir, 'first-login'), 'utf8')
}

/** Starts once, up to the line that is printed at the end. */
async function start(config: Config, onTerminal = false): Promise<string | null> {
  const tell = await makeFirstLogin(database.sql, config)
  const told = await tell(onTerminal)
  await told?.done?.()
  return told?.line ?? null
}

async function admin() {
  const [admin] = await database.sql<
    { name: string; password: string }[]
  >`select name, password from account where role = 'admin'`
  return admin
}

describe('the first login', () => {
  test('is told on a terminal by the first start that does not fail, and once', async () => {
    const config = readConfig({ DATA_DIR: dataDir })
    // These fail before they have told it, as where the port is taken.
    await makeFirstLogin(database.sql, config)
    await (await makeFirstLogin(database.sql, config))(true)
    const line = await start(config, true)
    const password = /^First login: admin, password (\S{19})$/.exec(line ?? '')?.[1] ?? ''
    expect(await isPassword(password, (await admin())?.password, null)).toBe(true)
    expect(existsSync(join(dataDir, 'first-login'))).toBe(false)
    expect(await start(config, true)).toBe(null)
  })

  test('is the one given to the first start, whatever is given to a later one', async () => {
    const startWith = (ADMIN_LOGIN: string, ADMIN_PASSWORD: string) =>
      start(readConfig({ DATA_DIR: dataDir, ADMIN_LOGIN, ADMIN_PASSWORD }))
    expect(await startWith('owner', 'of-the-first-start')).toBe(
      'First login: owner, with the ADMIN_PASSWORD that you gave',
    )
    expect(await startWith('another', 'of-a-later-start')).toBe(null)
    const made = await admin()
    expect(made?.name).toBe('owner')
    expect(await isPassword('of-the-first-start', made?.password, null)).toBe(true)
  })

  test('is that of the draft which an interrupted start left behind', async () => {
    writeFileSync(draft, 'login: owner\npassword: of-the-first-start\n', { mode: 0o600 })
    expect(await firstLogin()).toBe('login: owner\npassword: of-the-first-start\n')
  })

  test('is a new one where the start was interrupted in the middle of the draft', async () => {
    writeFileSync(draft, 'login: admin\npass', { mode: 0o600 })
    expect(await firstLogin()).toMatch(/^login: admin\npassword: \S{19}\n$/)
  })

  test.runIf(isRoot('The test of a planted first login'))(
    'is a new one where another user planted the draft',
    async () => {
      writeFileSync(draft, KNOWN)
      chownSync(draft, 65_534, 65_534)
      expect(await firstLogin()).toMatch(/^login: admin\npassword: \S{19}\n$/)
    },
  )

  test('is not written again at later starts, for which the disk may be full', async () => {
    const config = readConfig({ DATA_DIR: dataDir })
    await start(config)
    rmSync(dataDir, { recursive: true })
    expect(await start(config)).toBe(null)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('is forgotten at the next start where the admin has signed in, at another server', async () => {
    const config = readConfig({ DATA_DIR: dataDir })
    expect(await start(config)).toBe(`First login: in ${join(dataDir, 'first-login')}`)
    await database.sql`
      insert into sign_in (account, at, outcome, address, agent)
      select id, now(), 'succeeded', '203.0.113.9', '' from account`
    expect(await start(config)).toBe(null)
    expect(existsSync(join(dataDir, 'first-login'))).toBe(false)
  })

  test('is a new one where the draft is a pipe, which nobody is waited for', async () => {
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', draft])
    expect(await firstLogin()).toMatch(/^login: admin\npassword: \S{19}\n$/)
  })
})
