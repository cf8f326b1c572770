import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { type Console, startConsole } from '../../test/support/console.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { offers } from '../../test/support/needs.ts'
import { postmasterOf } from '../../test/support/processes.ts'
import { Person } from '../../test/support/world.ts'
import { freeSpaceOf } from '../postgres/files.ts'

/** Changes need this much free space; half of it is kept for signing in. */
const FLOOR_MB = 64
const PASSWORD = 'admin-password'
const MB = 2 ** 20
/** The write-ahead log grows by whole segments: the last call above the limit may take one. */
const SEGMENT_MB = 16

/**
 * Mounts 200 MB at the folder that comes first, for the command after it alone. In a namespace of one's own that needs
 * no root; a second one gives the command a user other than root, who may run PostgreSQL.
 */
const WITH_DISK = [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  'mount -t tmpfs -o size=200m,mode=0700 tmpfs "$0" && exec unshare --map-user=1000 --map-group=1000 "$@"',
] as const

// disk.test.ts shows the same with a made-up free space.
const canMount = offers(mayMount(), 'The tests of a small disk', 'mounts in a namespace')

describe.runIf(canMount)('on a file system of 200 MB that fills', () => {
  /** The path to the file system from outside of its namespace. */
  let disk: string
  let running: Console
  let admin: Person
  let started: number
  beforeAll(async () => {
    const folder = freshFolder()
    running = await startConsole({
      dataDir: join(folder, 'data'),
      env: { FREE_DISK_MB: String(FLOOR_MB), CAPTCHA_PROVIDER: 'none', ADMIN_PASSWORD: PASSWORD },
      within: [...WITH_DISK, folder],
    })
    disk = `/proc/${running.process.pid}/root${folder}`
    admin = await signIn()
    started = postmasterOf(join(disk, 'data'))
  })
  afterAll(async () => {
    await running?.stop()
  })

  test('changes fill the disk at most one log segment past the limit, and then get a 503', async () => {
    leave(FLOOR_MB + 3)
    let made = 0
    let answer = await change()
    for (; answer.status === 200 && made < 20_000; made += 1) answer = await change()
    expect(answer).toMatchObject({ status: 503, body: { code: 'disk_full' } })
    expect(made).toBeGreaterThan(100)
    expect(freeMb()).toBeGreaterThan(FLOOR_MB - SEGMENT_MB - 2)
    expect(await health()).toMatchObject({ status: 'OK', writes: false })
  })

  test('people can sign in, read, export and sign out in the space that is kept free', async () => {
    const person = await signIn()
    await person.call(calls.admin.clients)
    const { ticket } = await person.call(calls.admin.exportClients, { format: 'csv' })
    expect((await person.fetch('GET', `/v1/exports/${ticket}`)).status).toBe(200)
    await person.call(calls.session.logout)
  })

  test('below half of the limit people can only sign in and read, and nothing else is written', async () => {
    leave(FLOOR_MB / 2 - 1)
    const person = await signIn()
    await person.call(calls.admin.clients)
    for (const call of [calls.admin.exportClients, calls.admin.setMessage]) {
      const answer = await person.fetch(call.method, `/v1${call.path}`)
      expect(answer).toMatchObject({ status: 503, body: { code: 'disk_full' } })
    }
    await person.call(calls.session.logout)
  })

  test('a hundred sign-ins below half of the limit leave most of the space that is kept for them', async () => {
    const before = freeMb()
    for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 10 }, signIn))
    expect(before - freeMb()).toBeLessThan(SEGMENT_MB + 2)
  })

  test('the database never restarts on a full disk, and changes succeed again once there is room', async () => {
    expect(postmasterOf(join(disk, 'data'))).toBe(started)
    const log = execFileSync('sh', ['-c', `cat '${disk}'/data/postgres-18/log/*`], { encoding: 'utf8' })
    expect(log).not.toMatch(/PANIC|FATAL|terminated|recovery/)
    leave(FLOOR_MB + 20)
    expect((await change()).status).toBe(200)
    expect(await health()).toMatchObject({ status: 'OK', writes: true })
  })

  /** Grows or shrinks a file until this many megabytes are free. */
  function leave(megabytes: number): void {
    const ballast = join(disk, 'ballast')
    rmSync(ballast, { force: true })
    const size = Math.floor((freeMb() - megabytes) * MB)
    expect(size).toBeGreaterThan(0)
    writeFileSync(ballast, Buffer.alloc(size))
  }

  function freeMb(): number {
    return freeSpaceOf(disk) / MB
  }

  async function signIn(): Promise<Person> {
    const nobody = new Person(running, { id: 0, name: '', role: 'admin', token: '' })
    const input = { login_username: 'admin', login_password: PASSWORD }
    const { token } = await nobody.call(calls.session.login, input)
    return new Person(running, { id: 1, name: 'admin', role: 'admin', token })
  }

  function change() {
    const { method, path } = calls.admin.setMessage
    const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
    return admin.fetch(method, `/v1${path}`, { headers, body: JSON.stringify({ message: longText() }) })
  }

  /** Returns the longest message, of letters of three bytes that no compression shortens: the disk fills soon. */
  function longText(): string {
    const letters = crypto.getRandomValues(new Uint16Array(2_000))
    return [...letters].map((letter) => String.fromCharCode(0x4e00 + (letter % 20_000))).join('')
  }

  async function health(): Promise<unknown> {
    return (await fetch(`${running.url}/v1/health`)).json()
  }
})

function mayMount(): boolean {
  const [command, ...args] = [...WITH_DISK, freshFolder(), 'true']
  return spawnSync(command, args).status === 0
}
