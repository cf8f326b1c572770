import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { type Console, startConsole } from '../../test/support/console.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { type External, startExternal } from '../../test/support/external.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { holdOpen } from '../../test/support/hold.ts'
import { freePort } from '../../test/support/port.ts'
import { Person } from '../../test/support/world.ts'
import { registry } from '../metrics.ts'
import { noteRun } from '../nouns/system/runs.ts'
import { openPool, type Sql } from '../postgres/pool.ts'
import { openHeartbeat } from './heartbeat.ts'
import { openReport } from './report.ts'

const WRONG_CLOCK = `--import=${join(import.meta.dirname, '../../test/support/wrong-clock.ts')}`
const PASSWORD = 'a-password-of-theirs'

let database: External
let owner: Sql
let one: Console
let other: Console
let admin: Person

beforeAll(async () => {
  database = await startExternal(freshFolder())
  one = await start()
  other = await start({ NODE_OPTIONS: WRONG_CLOCK, WRONG_CLOCK_MS: '9000', SERVE: 'console' })
  owner = openPool(database.at('holder', 'shop'), { max: 1 })
  const nobody = new Person(one, { id: 0, name: '', role: 'dealer', token: '' })
  const login = { login_username: 'admin', login_password: PASSWORD }
  const { token, role } = await nobody.call(calls.session.login, login)
  admin = new Person(one, { id: 0, name: 'admin', role, token })
})
afterAll(async () => {
  for (const console of [one, other]) await console?.stop()
  await owner?.end()
  await database?.stop()
})

function start(env = {}): Promise<Console> {
  const own = { CAPTCHA_PROVIDER: 'none', ADMIN_PASSWORD: PASSWORD, SECRET_KEY: '0'.repeat(64) }
  return startConsole({ dataDir: freshFolder(), env: { ...own, ...database.env, ...env } })
}

const servers = async () => (await admin.call(calls.system.state)).servers
const states = async () => (await servers()).map(({ pid, state }) => [pid, state])
const kinds = async () => (await admin.call(calls.system.findings)).findings.map(({ kind }) => kind)

const portOf = ({ url }: Console) => Number(new URL(url).port)

test('two servers of one database are both shown, each with its own clock', async () => {
  await expect.poll(states).toEqual([
    [one.process.pid, 'serving'],
    [other.process.pid, 'serving'],
  ])
  expect(await servers()).toEqual([
    expect.objectContaining({
      console_port: portOf(one),
      box_port: portOf(one),
      clock_offset_ms: expect.closeTo(0, -4),
    }),
    expect.objectContaining({
      ...{ console_port: portOf(other), box_port: null, clock_offset_ms: expect.closeTo(9000, -4) },
      database_host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    }),
  ])
  expect(await kinds()).toEqual(['clock'])
})

test('a synchronous standby that is away is told, by servers that are still seen, until it is no longer waited for', async () => {
  const superuser = openPool(database.at('postgres', 'shop'), { max: 1 })
  const waitFor = async (names: string) => {
    await superuser.unsafe(`alter system set synchronous_standby_names = '${names}'`)
    await superuser`select pg_reload_conf()`
  }
  try {
    await waitFor('nobody')
    await expect.poll(kinds, { timeout: 60_000 }).toEqual(['standby away', 'clock'])
    expect((await admin.call(calls.system.state)).database).toMatchObject({
      writes: false,
      synchronous: 'away',
    })
    // Neither a run of a job nor a beat waits for the standby, or it would not arrive.
    await noteRun(owner, { name: 'counts', took_ms: 1, failure: null, next: null })
    const seen = async () => (await servers())[1]?.seen ?? ''
    const before = await seen()
    await expect.poll(async () => (await seen()) > before, { timeout: 60_000 }).toBe(true)
  } finally {
    await waitFor('')
    await superuser.end()
  }
  await expect.poll(kinds, { timeout: 60_000 }).toEqual(['clock'])
})

test('a server that is stopped is shown no more', async () => {
  await other.stop()
  expect(await states()).toEqual([[one.process.pid, 'serving']])
  expect(await kinds()).toEqual([])
})

test('a server that is killed is gone after a minute, until another is started in its place', async () => {
  other = await start({ PORT: String(await freePort()) })
  await expect.poll(states).toHaveLength(2)
  const port = portOf(other)
  await other.stop('SIGKILL')
  // A minute passes.
  await owner`update server_process set seen = seen - interval '1 minute' where pid = ${other.process.pid ?? 0}`
  expect((await states())[1]).toEqual([other.process.pid, 'gone'])
  expect(await kinds()).toEqual(['server'])
  other = await start({ PORT: String(port) })
  await expect.poll(states).toEqual([
    [one.process.pid, 'serving'],
    [other.process.pid, 'serving'],
  ])
  expect(await kinds()).toEqual([])
})

test('beats that are due while the database hangs are left out, but not the word that a server stops', async () => {
  const { sql, ownerSql, drop } = await freshDatabase()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const stopping = new AbortController()
    const leaving = stopping.signal
    const clock = { now: () => new Date(), offset: () => 0 }
    const id = randomUUID()
    const report = vi.fn(openReport({ id, config: { freeDiskMb: 0 }, clock, freeSpace: null, leaving }))
    const heartbeat = openHeartbeat({ id, sql, report, leaving })
    const told = () => sql`select stopping from server_process`
    heartbeat.start()
    await expect.poll(told).toEqual([{ stopping: false }])
    const release = await holdOpen(ownerSql, (sql) => sql`lock table server_process in exclusive mode`)
    report.mockClear()
    const beats = () => {
      vi.advanceTimersByTime(15_000)
      return report.mock.calls.length
    }
    await expect.poll(beats).toBe(1)
    for (let due = 0; due < 10; due += 1) beats()
    stopping.abort()
    await release()
    await expect.poll(told).toEqual([{ stopping: true }])
    await heartbeat.stop()
    expect(await told()).toEqual([])
    // The beat that hung, and the word that it stops.
    expect(report).toHaveBeenCalledTimes(2)
  } finally {
    vi.useRealTimers()
    await drop()
  }
})

test('a beat tells the metrics whether boxes have the channels of the last reading of the playlist', async () => {
  const { sql, ownerSql, drop } = await freshDatabase()
  onTestFinished(drop)
  const leaving = new AbortController().signal
  const clock = { now: () => new Date(), offset: () => 0 }
  const metric = async () =>
    (await registry.getSingleMetricAsString('boxtree_playlist_current')).split('\n').slice(2)
  const expectTold = async (lines: string[]) => {
    const id = randomUUID()
    const report = openReport({ id, config: { freeDiskMb: 0 }, clock, freeSpace: null, leaving })
    const heartbeat = openHeartbeat({ id, sql, report, leaving })
    heartbeat.start()
    await expect.poll(() => sql`select id from server_process`).toHaveLength(1)
    await expect.poll(metric).toEqual(lines)
    // It waits for the beat under way.
    await heartbeat.stop()
    expect(await metric()).toEqual(lines)
  }
  await expectTold([])
  await ownerSql`insert into playlist (shown, given, tried, failure) values ('own.m3u', now(), now(), 'no answer')`
  await expectTold(['boxtree_playlist_current 0'])
  await ownerSql`update playlist set failure = null`
  await expectTold(['boxtree_playlist_current 1'])
})

test('a server that is stopped is forgotten even while its report waits, as for a folder of backups that does not answer', async () => {
  const { sql, drop } = await freshDatabase()
  onTestFinished(drop)
  const stopping = new AbortController()
  const leaving = stopping.signal
  const clock = { now: () => new Date(), offset: () => 0 }
  const id = randomUUID()
  let isAway = false
  const answering = openReport({ id, config: { freeDiskMb: 0 }, clock, freeSpace: null, leaving })
  const report = () => (isAway ? new Promise<never>(() => {}) : answering())
  const heartbeat = openHeartbeat({ id, sql, report, leaving })
  const told = () => sql`select stopping from server_process`
  heartbeat.start()
  await expect.poll(told).toEqual([{ stopping: false }])
  isAway = true
  stopping.abort()
  await heartbeat.stop()
  expect(await told()).toEqual([])
})
