import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { INHERITED, startConsole } from '../../test/support/console.ts'
import { freshFolder, putCluster } from '../../test/support/folder.ts'
import { listen } from '../../test/support/port.ts'
import { Person } from '../../test/support/world.ts'
import type { Database } from '../postgres/database.ts'
import { sentenceOf, withDatabase } from './command.ts'

const MB = 2 ** 20
const LOST = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })

/** Fails on a database, and returns what the operator is told. */
async function told(error: Error, { files = '/data', free = 10 * MB, isStuck = false } = {}) {
  const stop = async () => {
    if (isStuck) throw new Error('PostgreSQL did not stop')
  }
  const database: Database = { server: '', owner: '', files: files || null, stop }
  const work = () => Promise.reject(error)
  const thrown = await withDatabase(database, work, () => free).catch((thrown: unknown) => thrown)
  return sentenceOf(thrown) ?? thrown
}

describe('a command whose database is lost', () => {
  test('says that the disk is full where it is, also if PostgreSQL cannot be stopped', async () => {
    for (const isStuck of [false, true])
      expect(await told(LOST, { isStuck })).toBe('The disk is full. Make room on it, and try again.')
  })

  test.each([
    ['has room on its disk', { free: 100 * MB }],
    ['is elsewhere', { files: '' }],
  ])('says that it was stopped where it %s', async (_where, options) => {
    expect(await told(LOST, options)).toMatch('The database was stopped meanwhile, or cannot be reached')
  })

  test.each(['ETIMEDOUT', '40003'])(
    'does not say that nothing was changed where it got no answer in time (%s)',
    async (code) => {
      const late = Object.assign(new Error('late'), { code })
      expect(await told(late, { files: '' })).toMatch(
        / A change may have been made all the same\. Run the same again, with the same settings, /,
      )
    },
  )

  test('hides no other error of its own', async () => {
    const bug = new TypeError('of the work')
    expect(await told(bug, { isStuck: true })).toBe(bug)
  })
})

test('a command that is interrupted stops the database that it has started', async () => {
  const script = `
    const { withDatabase } = await import(${JSON.stringify(import.meta.resolve('./command.ts'))})
    const stop = async () => console.log('stopped')
    const work = () => new Promise((done) => setTimeout(done, 60_000, console.log('works')))
    await withDatabase({ server: '', owner: '', files: null, stop }, work)`
  const command = spawn(process.execPath, ['--input-type=module', '--eval', script])
  let printed = ''
  command.stdout.on('data', (part) => {
    printed += part
    if (printed === 'works\n') command.kill('SIGTERM')
  })
  const [code] = await once(command, 'close')
  expect([printed, code]).toEqual(['works\nstopped\n', 1])
})

test('a backup that is interrupted while it waits for the database ends, and says so', async () => {
  const database = createServer((connection) => connection.destroy())
  onTestFinished(() => void database.close())
  const url = `postgres://127.0.0.1:${await listen(database)}/none`
  const folder = join(freshFolder(), 'backup')
  const backup = spawn(process.execPath, [join(import.meta.dirname, 'backup.ts'), folder], {
    env: { ...INHERITED, DATABASE_URL: url, DATABASE_OWNER_URL: url, SECRET_KEY: '0'.repeat(64) },
  })
  let printed = ''
  backup.stderr.on('data', (part) => {
    printed += part
  })
  database.once('connection', () => backup.kill('SIGTERM'))
  const [code] = await once(backup, 'close')
  expect([printed, code]).toEqual(['The backup was interrupted; nothing of it remains.\n', 1])
})

test.each([
  ['rotate-key', ['--help'], 'takes no argument'],
  ['verify', ['/srv/data'], 'takes no argument'],
  ['backup', ['--help'], 'takes one folder'],
  ['restore', ['one', 'two'], 'takes one folder'],
])('%s with %j does nothing', (command, given, sentence) => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, `${command}.ts`), ...given],
    {
      env: { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/none' },
      encoding: 'utf8',
    },
  )
  expect(stderr).toContain(`This command ${sentence}`)
  expect(stderr).toContain('Nothing was done.')
  expect(status).toBe(1)
})

test.each([
  ['short', 'utf8', 'Password should be'],
  [' with-spaces ', 'utf8', 'Password may not begin'],
  ['Straße-zum-Meer', 'latin1', 'Password has characters that are not in UTF-8'],
] as const)("the admin's password is not set to %j, given as %s", (password, encoding, why) => {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'admin-password.ts')], {
    // It asks before it opens the database, which is not there.
    env: {
      ...process.env,
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      DATABASE_OWNER_URL: 'postgres://127.0.0.1:1/none',
    },
    input: Buffer.from(`${password}\n`, encoding),
    encoding: 'utf8',
  })
  expect(stderr).toMatch(new RegExp(`^${why}.*\\. Nothing was changed\\.`))
  expect(status).toBe(1)
})

test("the admin's password is set while the console runs, which ends its sessions and forgets the first login", async () => {
  const dataDir = putCluster(freshFolder())
  const console = await startConsole({ dataDir, env: { CAPTCHA_PROVIDER: 'none' } })
  onTestFinished(async () => void (await console.stop()))
  const file = join(dataDir, 'first-login')
  const [, first = ''] = /^password: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? []
  const holding = (token: string) => new Person(console, { id: 0, name: 'admin', role: 'admin', token })
  const login = (login_password: string) =>
    holding('').send(calls.session.login, { login_username: 'admin', login_password })
  const before = (await login(first)).body as { token: string }
  // As where it was signed in at another server.
  writeFileSync(file, `login: admin\npassword: ${first}\n`)

  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'admin-password.ts')], {
    env: { ...INHERITED, DATA_DIR: dataDir },
    input: 'set-at-the-machine\n',
    encoding: 'utf8',
  })
  expect(stdout).toBe('The password of admin is set. Its sessions have ended.\n')
  expect(status).toBe(0)
  expect(existsSync(file)).toBe(false)
  expect((await holding(before.token).send(calls.session.user)).status).toBe(401)
  expect((await login(first)).status).toBe(401)
  expect((await login('set-at-the-machine')).status).toBe(200)
})
