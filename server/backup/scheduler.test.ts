import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Console, startConsole } from '../../test/support/console.ts'
import { freshFolder, putCluster } from '../../test/support/folder.ts'
import { processes } from '../../test/support/processes.ts'
import { SECRET_KEY } from '../../test/support/server.ts'
import { openWorld, type World } from '../../test/support/world.ts'
import { rotateKey } from '../access/reseal.ts'
import { createSeal } from '../access/seal.ts'
import { markOf as readMark } from '../postgres/database-mark.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { LOCKS } from '../postgres/locks.ts'
import { openPool } from '../postgres/pool.ts'
import { makeScheduledBackup, type ScheduledBackup } from './scheduled-backup.ts'
import { openBackups } from './scheduler.ts'
import { markIn, storedIn, TEST_RESTORE_FILE } from './stored.ts'
import { takeBackup } from './take.ts'
import { testRestore } from './test-restore.ts'

let parent: string
let folder: string
beforeEach(() => {
  parent = freshFolder()
  folder = join(parent, 'backups')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const NEVER = new AbortController().signal
const markOf = async () => 'of-tests'
const MB = 2 ** 20

/** In milliseconds, for a backup: its process comes last where other suites run beside it. */
const LONG = 200_000

/** Makes what an earlier backup has left. */
function plant(name: string, outcome?: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  const tested = { at: '2020-01-01T00:00:00.000Z', outcome, sentence: '' }
  if (outcome) writeFileSync(join(folder, name, TEST_RESTORE_FILE), JSON.stringify(tested))
}

/** The backups of the one database that has some in the folder. */
function stored() {
  const mark = readdirSync(folder).map(markIn).find(Boolean) ?? ''
  return storedIn(folder, new Date(), mark)
}

describe('a console with BACKUP_EVERY', { timeout: 300_000 }, () => {
  let console: Console
  let dataDir: string
  beforeEach(() => {
    dataDir = putCluster(join(parent, 'data'))
  })
  const start = async (env = {}) => {
    const more = { BACKUP_EVERY: '24', BACKUP_DIR: folder, METRICS_PORT: '0', ...env }
    console = await startConsole({ dataDir, env: more })
  }
  afterEach(() => console.stop())

  const lines = () =>
    console
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string })
  const logged = (msg: string) =>
    expect.poll(() => lines().filter((line) => line.msg === msg), { timeout: LONG })

  test('makes a backup, proves it by a restore, and removes the oldest of its own beyond BACKUP_KEEP', async () => {
    const [first, second] = ['auto-2020-01-01T00-00-00-000Z', 'auto-2020-01-02T00-00-00-000Z']
    plant(first, 'sound')
    plant(second, 'sound')
    plant("somebody's")
    plant('auto-2020-01-03T00-00-00-000Z.partial')
    plant('.trial-killed')
    await start({ BACKUP_KEEP: '2' })
    await logged('a backup was made, and its test restore is sound').toHaveLength(1)
    const [newest, ...older] = await stored()
    expect(newest?.testRestore).toMatchObject({
      outcome: 'sound',
      sentence: expect.stringContaining('The ledger is sound.'),
    })
    expect(older.map(({ name }) => name)).toEqual([second])
    const made = newest?.name ?? ''
    expect(readdirSync(folder).sort()).toEqual([second, made, "somebody's"].sort())
    expect(lstatSync(join(folder, made)).mode & 0o077).toBe(0)
    for (const name of readdirSync(join(folder, made)))
      expect(lstatSync(join(folder, made, name)).mode & 0o077, name).toBe(0)
    const url = /Metrics are served on (http[^\s"]+)/.exec(console.output())?.[1] ?? ''
    const taken = (newest?.taken.getTime() ?? 0) / 1000
    const metrics = (await (await fetch(url)).text()).split('\n')
    expect(metrics).toEqual(
      expect.arrayContaining([
        `boxtree_backup_last_timestamp_seconds ${taken}`,
        `boxtree_backup_last_sound_timestamp_seconds ${taken}`,
        'boxtree_backup_interval_seconds 86400',
        'boxtree_backups 2',
      ]),
    )
  })

  test('makes it in a process of its own with a low priority', async () => {
    await start()
    const own = () =>
      processes().find(
        ({ parent, command }) => parent === console.process.pid && command.includes('backup/make-backup.ts'),
      )
    const priority = () => {
      const pid = own()?.pid
      try {
        return pid === undefined ? 0 : getPriority(pid)
      } catch {
        // It has ended since it was listed.
        return 0
      }
    }
    await expect.poll(priority, { timeout: LONG, interval: 10 }).toBeGreaterThan(0)
    expect(getPriority(console.process.pid)).toBe(getPriority())
  })

  test('says that a backup of an unsound ledger cannot be trusted, and keeps the last that can', async () => {
    await start({ BACKUP_EVERY: '', BACKUP_DIR: '' })
    const socket = join(parent, 'data', 'postgres-18', '.s.PGSQL.5432')
    const sql = openPool({ socket, database: 'boxtree', user: 'postgres' }, { max: 1 })
    await sql`alter table holding disable trigger all`
    await sql`update holding set balance = balance - 5`
    await sql.end()
    await console.stop()
    const [sound, untried] = ['auto-2020-01-01T00-00-00-000Z', 'auto-2020-01-02T00-00-00-000Z']
    plant(sound, 'sound')
    plant(untried)
    await start({ BACKUP_KEEP: '1' })
    await logged('a backup was made that cannot be trusted').toHaveLength(1)
    const kept = await stored()
    expect(kept.map(({ testRestore }) => testRestore?.outcome)).toEqual(['unsound', 'sound'])
    expect(kept[1]?.name).toBe(sound)
  })

  test('leaves nothing of a test restore that its stop interrupts', async () => {
    await start()
    const tests = () =>
      existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('.trial-')) : []
    await expect.poll(tests, { timeout: LONG, interval: 10 }).toHaveLength(1)
    expect(await console.stop()).toBe(0)
    expect(tests()).toEqual([])
  })
})

describe('a backup by the clock', () => {
  let world: World
  beforeEach(async () => {
    world = await openWorld()
  })
  afterEach(() => world.close())

  const order = (): ScheduledBackup => ({
    ...{ owner: world.server.database.owner, key: SECRET_KEY, timeZone: 'UTC', folder, keep: 7 },
    ...{ due: new Date('2026-05-10T00:00:00Z'), now: new Date('2026-05-10T12:00:00Z') },
    // What is kept free on another disk does not count.
    reserve: { folder: '/proc', bytes: Number.MAX_SAFE_INTEGER },
  })

  test.each([
    ['cannot be made', 'backups'],
    ['cannot be read', ''],
  ])(
    'that fails because its folder %s is told with its reason, and is tried again in an hour',
    async (_, name) => {
      writeFileSync(folder, 'no folder')
      const now = new Date('2026-05-10T12:00:00Z')
      const backups = openBackups({
        ...{
          plan: { everyHours: 24, keep: 7, folder: join(folder, name) },
          log: pino({ level: 'silent' }),
        },
        ...{ owner: world.server.database.owner, key: SECRET_KEY, timeZone: 'UTC', clock: () => now },
        reserve: null,
        markOf,
      })
      backups.start()
      await expect.poll(async () => (await backups.state()).failure, { timeout: 60_000 }).not.toBe(null)
      await backups.stop()
      expect(await backups.state()).toMatchObject({
        ...{ kept: 0, newest: null, next: '2026-05-10T13:00:00.000Z' },
        failure: { at: now.toISOString(), message: expect.stringContaining('ENOTDIR') },
      })
    },
  )

  test('whose folder does not answer, as on a share that is away, holds up nothing, and is read again once it does', async () => {
    const name = 'auto-2026-05-10T11-00-00-000Z'
    mkdirSync(join(folder, name), { recursive: true })
    // Whoever opens a pipe waits for somebody who writes.
    const pipe = join(folder, name, TEST_RESTORE_FILE)
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
    const now = new Date('2026-05-10T12:00:00Z')
    const lines: string[] = []
    const backups = openBackups({
      ...{ plan: { everyHours: 24, keep: 7, folder }, reserve: null, clock: () => now },
      ...{ owner: world.server.database.owner, key: SECRET_KEY, timeZone: 'UTC' },
      log: pino({}, { write: (line: string) => lines.push(line) }),
      markOf,
    })
    backups.start()
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
    }, 10)
    for (const _ of [1, 2])
      expect(await backups.state()).toMatchObject({
        kept: 0,
        failure: { message: `${folder} does not answer` },
      })
    clearInterval(turning)
    // A console that waited for the folder would have done nothing else.
    expect(turns).toBeGreaterThan(50)
    expect(lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1)
    writeFileSync(pipe, JSON.stringify({ at: now.toISOString(), outcome: 'sound', sentence: '' }))
    await expect
      .poll(() => backups.state())
      .toMatchObject({ kept: 1, failure: null, sound: '2026-05-10T11:00:00.000Z' })
    await backups.stop()
  })

  test('is known while its folder cannot be read, as after a change of its owner', async () => {
    plant('auto-2026-05-10T11-00-00-000Z', 'sound')
    const backups = openBackups({
      ...{ plan: { everyHours: 24, keep: 7, folder }, reserve: null, markOf },
      ...{ owner: world.server.database.owner, key: SECRET_KEY, timeZone: 'UTC' },
      clock: () => new Date('2026-05-10T12:00:00Z'),
      log: pino({ level: 'silent' }),
    })
    const known = { kept: 1, newest: '2026-05-10T11:00:00.000Z', sound: '2026-05-10T11:00:00.000Z' }
    expect(await backups.state()).toMatchObject({ ...known, failure: null })
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'no folder')
    expect(await backups.state()).toMatchObject({
      ...known,
      failure: { message: expect.stringContaining('ENOTDIR') },
    })
    await backups.stop()
  })

  test('is due at once after the clock was set back, whatever was made or failed while it was ahead', async () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'no folder'), '')
    let now = new Date('2027-05-10T12:00:00Z')
    const backups = openBackups({
      ...{ plan: { everyHours: 24, keep: 7, folder: join(folder, 'no folder') }, reserve: null },
      ...{ owner: world.server.database.owner, key: SECRET_KEY, timeZone: 'UTC', clock: () => now },
      log: pino({ level: 'silent' }),
      markOf,
    })
    backups.start()
    await expect.poll(async () => (await backups.state()).failure, { timeout: 60_000 }).not.toBe(null)
    await backups.stop()
    rmSync(join(folder, 'no folder'))
    plant('no folder/auto-2027-05-10T11-00-00-000Z', 'sound')
    now = new Date('2026-05-10T12:00:00Z')
    expect(await backups.state()).toMatchObject({
      kept: 0,
      newest: null,
      sound: null,
      next: now.toISOString(),
    })
  })

  test('is made and kept although older ones are named in the future, which are left alone', async () => {
    const ahead = 'auto-2026-05-10T12-01-01-000Z'
    plant(ahead, 'sound')
    const made = await makeScheduledBackup({ ...order(), keep: 1 }, NEVER)
    expect(made).toMatchObject({ testRestore: { outcome: 'sound' }, removed: [] })
    expect(readdirSync(folder).sort()).toEqual([made?.name, ahead].sort())
  })

  test('counts and removes nothing of another database that has its backups in the same folder', async () => {
    const others = [
      'auto-2026-05-10T11-59-00-000Z-0a1b2c3d',
      'auto-2026-05-10T12-00-00-000Z-0a1b2c3d.partial',
      '.trial-0a1b2c3d-aBcDeF',
    ]
    for (const name of others) plant(name, 'sound')
    const first = await makeScheduledBackup({ ...order(), keep: 1 }, NEVER)
    expect(first).toMatchObject({ testRestore: { outcome: 'sound' }, removed: [] })
    const next = { due: new Date('2026-05-11T00:00:00Z'), now: new Date('2026-05-11T12:00:00Z') }
    const second = await makeScheduledBackup({ ...order(), ...next, keep: 1 }, NEVER)
    expect(second?.removed).toEqual([first?.name])
    expect(readdirSync(folder).sort()).toEqual([...others, second?.name].sort())
    const mark = await readMark(world.server.sql)
    expect(mark).toMatch(/^[0-9a-f]{8}$/)
    expect([first?.name, second?.name]).toEqual([
      `auto-2026-05-10T12-00-00-000Z-${mark}`,
      `auto-2026-05-11T12-00-00-000Z-${mark}`,
    ])
  })

  test('whose process cannot be started is told with its reason, and a stop does not wait for it', async () => {
    const { execPath } = process
    const backups = openBackups({
      ...{ plan: { everyHours: 24, keep: 7, folder }, log: pino({ level: 'silent' }), reserve: null },
      ...{ owner: '', key: SECRET_KEY, timeZone: 'UTC', clock: () => new Date() },
      markOf,
    })
    process.execPath = '/none'
    try {
      backups.start()
      await expect.poll(async () => (await backups.state()).failure?.message).toContain('ENOENT')
    } finally {
      process.execPath = execPath
    }
    await backups.stop()
  })

  test('that fails is tried again after an hour, and no sooner', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { execPath } = process
    process.execPath = '/none'
    onTestFinished(() => {
      process.execPath = execPath
      vi.useRealTimers()
    })
    let now = new Date('2026-05-10T12:00:00Z')
    const failures: string[] = []
    const backups = openBackups({
      ...{ plan: { everyHours: 24, keep: 7, folder }, reserve: null, clock: () => now },
      ...{ owner: '', key: SECRET_KEY, timeZone: 'UTC' },
      log: pino({ level: 'error' }, { write: (line: string) => failures.push(line) }),
      markOf,
    })
    const minute = async () => {
      now = new Date(now.getTime() + 60_000)
      await vi.advanceTimersByTimeAsync(60_000)
      await backups.state()
    }
    backups.start()
    for (const tries of [1, 2]) {
      await expect.poll(() => failures).toHaveLength(tries)
      for (let minutes = 1; minutes < 60; minutes += 1) await minute()
      expect(failures).toHaveLength(tries)
      await minute()
    }
    await expect.poll(() => failures).toHaveLength(3)
    await backups.stop()
  })

  test('is made beside what cannot be opened or is no folder, and removes that', async () => {
    mkdirSync(join(folder, '.trial-older', 'postgres-17'), { recursive: true })
    writeFileSync(join(folder, '.trial-file'), '')
    const made = await makeScheduledBackup(order(), NEVER)
    expect(made).toMatchObject({ testRestore: { outcome: 'sound' } })
    expect(readdirSync(folder)).toEqual([made?.name])
  })

  test('that fails leaves no more of the older ones than are kept', async () => {
    for (const day of ['01', '02', '03']) plant(`auto-2020-01-${day}T00-00-00-000Z`, 'sound')
    const wrong = { ...order(), key: Buffer.alloc(32, 'another'), keep: 1 }
    await expect(makeScheduledBackup(wrong, NEVER)).rejects.toThrow('is not the key of this database')
    expect(readdirSync(folder)).toEqual(['auto-2020-01-03T00-00-00-000Z'])
  })

  test('stops as soon as less is free than what is kept for the database beside it, and leaves nothing', async () => {
    const all = { folder: parent, bytes: Number.MAX_SAFE_INTEGER }
    await expect(makeScheduledBackup({ ...order(), reserve: all }, NEVER)).rejects.toThrow(
      'There is no room for the backup',
    )
    expect(readdirSync(folder)).toEqual([])
    const later = join(folder, 'one.partial', 'transfer.copy.gz')
    const taken = takeBackup({
      ...{
        owner: world.server.database.owner,
        key: SECRET_KEY,
        timeZone: 'UTC',
        folder: join(folder, 'one'),
      },
      ...{
        reserve: { folder: parent, bytes: MB },
        free: () => (existsSync(later) ? MB - 1 : MB),
        say: () => {},
      },
    })
    await expect(taken).rejects.toThrow(
      `There is no room for the backup where ${join(folder, 'one')} was to be; nothing of it remains. Free space there, or name a folder on another disk.`,
    )
    expect(readdirSync(folder)).toEqual([])
  })

  test('is made by one server at a time', async () => {
    await world.server.ownerSql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(${LOCKS.backup})`
      expect(await makeScheduledBackup(order(), NEVER)).toBe(null)
    })
    expect(existsSync(folder)).toBe(false)
  })

  test('that loses its lock with its connection, as at a failover, ends its test restore and leaves nothing of it', async () => {
    const tests = () =>
      existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('.trial-')) : []
    const made = makeScheduledBackup(order(), NEVER)
    made.catch(() => {})
    await expect.poll(tests, { timeout: LONG, interval: 10 }).toHaveLength(1)
    await world.server.ownerSql`
      select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${LOCKS.backup}`
    await expect(made).rejects.toThrow('CONNECTION_CLOSED')
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^auto-[^.]+$/)])
    expect((await stored())[0]?.testRestore).toBe(null)
  })

  test('is left to the server that has just made one in the same folder', async () => {
    plant('auto-2026-05-10T11-59-00-000Z', 'sound')
    expect(await makeScheduledBackup(order(), NEVER)).toBe(null)
    expect(readdirSync(folder)).toHaveLength(1)
  })

  test('whose test restore was interrupted is tried, and not made again', async () => {
    const { owner } = world.server.database
    const name = 'auto-2026-05-10T11-59-00-000Z'
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, name), say: () => {} })
    // What a full disk has left of its result, and of another try.
    for (const half of [TEST_RESTORE_FILE, `${TEST_RESTORE_FILE}.draft`])
      writeFileSync(join(folder, name, half), '')
    expect(await makeScheduledBackup(order(), NEVER)).toMatchObject({
      name,
      testRestore: { outcome: 'sound' },
      removed: [],
    })
    expect(readdirSync(folder)).toEqual([name])
    expect((await stored())[0]?.testRestore?.outcome).toBe('sound')
    expect(existsSync(join(folder, name, `${TEST_RESTORE_FILE}.draft`))).toBe(false)
  })

  test('is tried with its own key, if that was rotated before its test restore', async () => {
    const { ownerSql, database } = world.server
    const name = 'auto-2026-05-10T11-59-00-000Z'
    const { owner } = database
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, name), say: () => {} })
    const another = Buffer.alloc(32, 'another')
    await rotateKey(ownerSql, createSeal(SECRET_KEY), createSeal(another))
    expect(await makeScheduledBackup({ ...order(), key: another }, NEVER)).toMatchObject({
      name,
      testRestore: { outcome: 'sound' },
    })
  })

  test.each([
    ['a cluster of twice the size of the database', 3, 0, 134],
    ['what is kept free for the database beside it', 3, 256, 390],
  ])('is not tried, and says so, where the disk has no room for %s', async (_, mb, keptMb, neededMb) => {
    const { owner } = world.server.database
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, 'one'), say: () => {} })
    const tried = await testRestore({
      ...{ folder: join(folder, 'one'), size: mb * MB, signal: NEVER },
      ...{ reserve: { folder: parent, bytes: keptMb * MB }, free: () => neededMb * MB - 1 },
    })
    expect(tried).toEqual({
      outcome: 'left out',
      sentence: `The backup was not tried, because the disk has less than the ${neededMb} MB free that its test restore needs. Free space there, or set BACKUP_DIR to a larger disk.`,
    })
    expect(readdirSync(folder)).toEqual(['one'])
  })

  test('is kept without a test restore where PostgreSQL cannot run beside it, as on a share; any other failure is thrown', async () => {
    const { owner } = world.server.database
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, 'one'), say: () => {} })
    const tryIt = (error: Error) =>
      testRestore({
        ...{ folder: join(folder, 'one'), size: 0, signal: NEVER, reserve: null },
        start: () => Promise.reject(error),
      })
    expect(await tryIt(Object.assign(new Error('chmod'), { code: 'ENOTSUP' }))).toEqual({
      outcome: 'left out',
      sentence: `The backup was not tried, because PostgreSQL cannot run on the disk of ${folder}, as on many network shares. Set BACKUP_DIR to a disk of this machine.`,
    })
    await expect(tryIt(new Error('no memory'))).rejects.toThrow('no memory')
    expect(readdirSync(folder)).toEqual(['one'])
  })

  test('is tried in a cluster that is stopped without a checkpoint, which would first write what is then thrown away', async () => {
    const { owner } = world.server.database
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, 'one'), say: () => {} })
    let log = ''
    const start: typeof startEmbedded = async (options) => {
      const cluster = await startEmbedded(options)
      const stop: typeof cluster.stop = async (mode) => {
        await cluster.stop(mode)
        const logs = join(cluster.files, 'log')
        log += readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'))
      }
      return { ...cluster, stop }
    }
    const tried = await testRestore({
      ...{ folder: join(folder, 'one'), size: 0, signal: NEVER, reserve: null, start },
    })
    expect(tried.outcome).toBe('sound')
    expect(log).toContain('received immediate shutdown request')
    expect(log).not.toContain('received fast shutdown request')
  })

  test('that is damaged is not sound', async () => {
    const { owner } = world.server.database
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, 'one'), say: () => {} })
    const file = join(folder, 'one', 'account.copy.gz')
    writeFileSync(file, readFileSync(file).subarray(0, -9))
    const tried = await testRestore({
      ...{ folder: join(folder, 'one'), size: 0, signal: NEVER, reserve: null },
    })
    expect(tried).toMatchObject({
      outcome: 'unsound',
      sentence: expect.stringContaining('is not as it was written'),
    })
    expect(readdirSync(folder)).toEqual(['one'])
  })
})
