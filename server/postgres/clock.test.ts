import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { DAY_MS, HOUR_MS, minuteOf } from '../../contract/time.ts'
import { type Console, runConsole, startConsole } from '../../test/support/console.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { freshFolder, putCluster } from '../../test/support/folder.ts'
import { ADMIN, startServer } from '../../test/support/server.ts'
import { Clock, newClient, openWorld, Person } from '../../test/support/world.ts'
import { begin } from './begin.ts'
import { startClock } from './clock.ts'
import { openPool } from './pool.ts'

const WRONG_CLOCK = `--import=${join(import.meta.dirname, '../../test/support/wrong-clock.ts')}`
const PASSWORD = 'a-password-of-theirs'

let console: Console | null = null
afterEach(async () => {
  vi.restoreAllMocks()
  await console?.stop()
  console = null
})

test.each([
  ['3600000', '3,600 seconds ahead of'],
  ['-90000', '90 seconds behind'],
])(
  "a machine whose clock is %s ms off the database's does not start the console",
  async (WRONG_CLOCK_MS, is) => {
    const env = { NODE_OPTIONS: WRONG_CLOCK, WRONG_CLOCK_MS, CAPTCHA_PROVIDER: 'none' }
    const refused = runConsole({ dataDir: putCluster(freshFolder()), env })
    expect(await refused.exit).toBe(1)
    expect(refused.output()).toContain(`The clock of this machine is ${is} the database's. Set it right`)
  },
)

test("a machine whose clock is more than five seconds off the database's starts, and says so", async () => {
  const env = { NODE_OPTIONS: WRONG_CLOCK, WRONG_CLOCK_MS: '-20000', CAPTCHA_PROVIDER: 'none' }
  console = await startConsole({ dataDir: putCluster(freshFolder()), env })
  expect(console.output()).toContain("this machine's clock differs from the database's, whose time counts")
  const health = await (await fetch(`${console.url}/v1/health`)).json()
  expect(health).toMatchObject({ status: 'OK', clock_offset_ms: expect.closeTo(-20_000, -4) })
})

test("a machine's clock that is set a day ahead ends no session and charges no repeated key again", async () => {
  const env = { NODE_OPTIONS: WRONG_CLOCK, CAPTCHA_PROVIDER: 'none', ADMIN_PASSWORD: PASSWORD }
  console = await startConsole({ dataDir: putCluster(freshFolder()), env })
  const nobody = new Person(console, { id: 0, name: '', role: 'dealer', token: '' })
  const { token, role } = await nobody.call(calls.session.login, {
    login_username: 'admin',
    login_password: PASSWORD,
  })
  const admin = new Person(console, { id: 0, name: 'admin', role, token })
  await admin.call(calls.level.superreseller.create, { login: 'north', password: PASSWORD })
  const key = randomUUID()
  const give = () =>
    admin.call(calls.level.superreseller.save, { name: 'north', credits: 5, transaction: 0 }, { key })
  await give()
  console.process.kill('SIGUSR2')
  const health = async () => (await fetch(`${console?.url}/v1/health`)).json()
  await expect.poll(health).toMatchObject({ clock_offset_ms: expect.closeTo(DAY_MS, -5) })
  await give()
  expect((await admin.call(calls.level.superreseller.list)).data[0]).toMatchObject({
    name: 'north',
    credits: 5,
  })
})

test('a reading that waited long for a connection does not move the time', async () => {
  const { server, drop } = await freshDatabase()
  const sql = openPool(server, { max: 1 })
  const clock = await startClock(sql, pino({ level: 'silent' }))
  try {
    const before = clock.offset()
    const slow = sql`select pg_sleep(2)`.execute()
    await clock.read()
    await slow
    expect(Math.abs(clock.offset() - before)).toBeLessThan(500)
  } finally {
    clock.stop()
    await sql.end()
    await drop()
  }
})

const TIMER = performance.now.bind(performance)
const MACHINE = Date.now.bind(Date)

/** Moves the timer of the process, which stands still while a machine sleeps, and the machine's clock. */
function move({ timer, machine = 0 }: { timer: number; machine?: number }): void {
  vi.spyOn(performance, 'now').mockImplementation(() => TIMER() + timer)
  vi.spyOn(Date, 'now').mockImplementation(() => MACHINE() + machine)
}

test("a machine that has slept soon has the database's time again, and does not wait for the next minute", async () => {
  const { server, drop } = await freshDatabase()
  const sql = openPool(server, { max: 1 })
  const clock = await startClock(sql, pino({ level: 'silent' }))
  try {
    move({ timer: -HOUR_MS })
    expect(clock.offset()).toBeGreaterThan(HOUR_MS - 1_000)
    await expect.poll(clock.offset, { timeout: 10_000 }).toBeLessThan(500)
  } finally {
    clock.stop()
    await sql.end()
    await drop()
  }
})

test('a reading after the machine has slept replaces one before, however long it took', async () => {
  const { server, drop } = await freshDatabase()
  const sql = openPool(server, { max: 1 })
  const clock = await startClock(sql, pino({ level: 'silent' }))
  try {
    move({ timer: -2_000 })
    expect(clock.isStale()).toBe(true)
    const reading = clock.read()
    move({ timer: 4_000, machine: 6_000 })
    await reading
    expect(clock.isStale()).toBe(false)
  } finally {
    clock.stop()
    await sql.end()
    await drop()
  }
})

test('no call acts in the past once the machine has slept: it is refused until the time is read', async () => {
  const first = await startServer()
  const clock = await startClock(first.database.sql, pino({ level: 'silent' }))
  const server = await startServer({ database: first.database, databaseClock: clock })
  try {
    const nobody = new Person(server, { id: 0, name: '', role: 'dealer', token: '' })
    const { login: login_username, password: login_password } = ADMIN
    const { token, role } = await nobody.call(calls.session.login, { login_username, login_password })
    const admin = new Person(server, { id: 0, name: login_username, role, token })
    const read = vi.spyOn(clock, 'read').mockResolvedValue()
    move({ timer: -HOUR_MS })
    await first.ownerSql`update session set expiry = now() - interval '1 minute'`
    const unread = await admin.attempt(calls.session.user)
    expect(unread).toMatchObject({ status: 503, body: { code: 'unavailable', unchanged: true } })
    read.mockRestore()
    expect(await admin.attempt(calls.session.user)).toMatchObject({ status: 401 })
  } finally {
    clock.stop()
    await server.close()
    await first.close()
  }
})

test('no change is made while the clock of the database is behind its newest row', async () => {
  const tomorrow = new Date(Date.now() + DAY_MS)
  const world = await openWorld({ clock: new Clock(tomorrow.toISOString()) })
  const { dealer } = await world.family({ credits: 3 })
  // A change that came before the clock was read again: the newest row by its id has the wrong date already.
  await begin(world.server.ownerSql, async (sql) => {
    await sql`alter table transfer disable trigger user`
    await sql`update transfer set created = now() where id = (select max(id) from transfer)`
    await sql`alter table transfer enable trigger user`
  })
  const clock = await startClock(world.server.database.sql, pino({ level: 'silent' }))
  const second = await startServer({ database: world.server.database, databaseClock: clock })
  try {
    const there = world.at(second, dealer)
    expect(await there.attempt(calls.clients.create, newClient({ months: 1 }))).toMatchObject({
      status: 503,
      body: {
        message: expect.stringMatching(
          /^The clock of the database was set back .*, so this try changed nothing\./,
        ),
      },
    })
    expect(await there.attempt(calls.clients.create, newClient({ months: 1 }))).toMatchObject({
      body: { message: expect.stringContaining(`once its time is past ${minuteOf(tomorrow)}`) },
    })
    expect((await there.call(calls.credits.dealer)).credits).toBe(3)
    const { findings } = await world.at(second, world.admin).call(calls.system.findings)
    const past = expect.stringContaining(minuteOf(tomorrow))
    expect(findings).toEqual([{ kind: 'clock behind', urgent: true, sentence: past }])
    expect(await (await fetch(`${second.url}/v1/health`)).json()).toMatchObject({
      status: 'OK',
      writes: false,
    })
  } finally {
    clock.stop()
    await second.close()
    await world.server.close()
  }
})

test('no credits move while the clock of the database is behind, before the server has read it again', async () => {
  const server = await startServer()
  const { login, password } = ADMIN
  try {
    const nobody = new Person(server, { id: 0, name: '', role: 'dealer', token: '' })
    const { token, role } = await nobody.call(calls.session.login, {
      login_username: login,
      login_password: password,
    })
    const admin = new Person(server, { id: 0, name: login, role, token })
    await admin.call(calls.level.superreseller.create, { login: 'north', password: PASSWORD })
    const give = { name: 'north', credits: 5, transaction: 0 } as const
    await admin.call(calls.level.superreseller.save, give)
    const { ownerSql } = server
    await ownerSql`alter table transfer disable trigger user`
    await ownerSql`update transfer set created = now() + interval '1 hour'`
    await ownerSql`alter table transfer enable trigger user`
    expect(await admin.attempt(calls.level.superreseller.save, give)).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('The clock of the database was set back') },
    })
    expect((await admin.call(calls.level.superreseller.list)).data[0]).toMatchObject({ credits: 5 })
  } finally {
    await server.close()
  }
})
