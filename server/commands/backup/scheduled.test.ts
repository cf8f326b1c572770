import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Console, startConsole } from '../../../test/support/console.ts'
import { freshFolder } from '../../../test/support/folder.ts'
import { SECRET_KEY } from '../../../test/support/server.ts'
import { openWorld, type World } from '../../../test/support/world.ts'
import { LOCKS } from '../../postgres/locks.ts'
import { openPool } from '../../postgres/pool.ts'
import { keptIn, TRIAL } from './kept.ts'
import { openBackups } from './schedule.ts'
import { makeBackup, type Order } from './scheduled.ts'
import { takeBackup } from './take.ts'
import { tryBackup } from './trial.ts'

let parent: string
let folder: string
beforeEach(() => {
  parent = freshFolder()
  folder = join(parent, 'backups')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const NEVER = new AbortController().signal

/** Makes what an earlier backup has left. */
function plant(name: string, outcome?: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  const trial = { at: '2020-01-01T00:00:00.000Z', outcome, sentence: '' }
  if (outcome) writeFileSync(join(folder, name, TRIAL), JSON.stringify(trial))
}

describe('a console with BACKUP_EVERY', () => {
  let console: Console
  const start = async (env = {}) => {
    const more = { BACKUP_EVERY: '24', BACKUP_DIR: folder, METRICS_PORT: '0', ...env }
    console = await startConsole({ dataDir: join(parent, 'data'), env: more })
  }
  afterEach(() => console.stop())

  const lines = () =>
    console
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string })
  const logged = (msg: string) =>
    expect.poll(() => lines().filter((line) => line.msg === msg), { timeout: 25_000 })

  test('makes a backup, proves it by a restore, and removes the oldest of its own beyond BACKUP_KEEP', async () => {
    const [first, second] = ['auto-2020-01-01T00-00-00-000Z', 'auto-2020-01-02T00-00-00-000Z']
    plant(first, 'sound')
    plant(second, 'sound')
    plant("somebody's")
    plant('auto-2020-01-03T00-00-00-000Z.partial')
    plant('.trial-killed')
    await start({ BACKUP_KEEP: '2' })
    await logged('a backup was made and restored in a trial').toHaveLength(1)
    const [newest, ...older] = keptIn(folder)
    expect(newest?.trial).toMatchObject({
      outcome: 'sound',
      sentence: expect.stringContaining('Every credit'),
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
    expect(keptIn(folder).map(({ trial }) => trial?.outcome)).toEqual(['unsound', 'sound'])
    expect(keptIn(folder)[1]?.name).toBe(sound)
  })

  test('leaves nothing of a trial that its stop interrupts', async () => {
    await start()
    const trials = () =>
      existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('.trial-')) : []
    await expect.poll(trials, { timeout: 25_000, interval: 10 }).toHaveLength(1)
    expect(await console.stop()).toBe(0)
    expect(trials()).toEqual([])
  })
})

describe('a backup by the clock', () => {
  let world: World
  beforeEach(async () => {
    world = await openWorld()
  })
  afterEach(() => world.close())

  const order = (): Order => ({
    ...{ owner: world.server.database.owner, key: SECRET_KEY, timeZone: 'UTC', folder, keep: 7 },
    ...{ due: new Date('2026-05-10T00:00:00Z'), now: new Date('2026-05-10T12:00:00Z') },
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
      })
      backups.start()
      await expect.poll(() => backups.state().failure, { timeout: 15_000 }).not.toBe(null)
      await backups.stop()
      expect(backups.state()).toMatchObject({
        ...{ kept: 0, newest: null, next: '2026-05-10T13:00:00.000Z' },
        failure: { at: now.toISOString(), message: expect.stringContaining('ENOTDIR') },
      })
    },
  )

  test('is made by one server at a time', async () => {
    await world.server.ownerSql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(${LOCKS.backup})`
      expect(await makeBackup(order(), NEVER)).toBe(null)
    })
    expect(existsSync(folder)).toBe(false)
  })

  test('is left to the server that has just made one in the same folder', async () => {
    plant('auto-2026-05-10T11-59-00-000Z', 'sound')
    expect(await makeBackup(order(), NEVER)).toBe(null)
    expect(readdirSync(folder)).toHaveLength(1)
  })

  test('whose trial was interrupted is tried, and not made again', async () => {
    const { owner } = world.server.database
    const name = 'auto-2026-05-10T11-59-00-000Z'
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, name), say: () => {} })
    expect(await makeBackup(order(), NEVER)).toMatchObject({ name, trial: { outcome: 'sound' }, removed: [] })
    expect(readdirSync(folder)).toEqual([name])
  })

  test('is not tried, and says so, where the disk has not twice the size of the database', async () => {
    const { owner } = world.server.database
    const size = 3 * 2 ** 20
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, 'one'), say: () => {} })
    const tried = await tryBackup({
      ...{ folder: join(folder, 'one'), key: SECRET_KEY, size, signal: NEVER, free: () => 2 * size - 1 },
    })
    expect(tried).toEqual({
      outcome: 'left out',
      sentence:
        'The backup was not tried, because the disk has not twice the size of the database (3 MB) free.',
    })
    expect(readdirSync(folder)).toEqual(['one'])
  })

  test('that is damaged is not sound', async () => {
    const { owner } = world.server.database
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder: join(folder, 'one'), say: () => {} })
    const file = join(folder, 'one', 'account.copy.gz')
    writeFileSync(file, readFileSync(file).subarray(0, -9))
    const tried = await tryBackup({ folder: join(folder, 'one'), key: SECRET_KEY, size: 0, signal: NEVER })
    expect(tried).toMatchObject({
      outcome: 'unsound',
      sentence: expect.stringContaining('is not as it was written'),
    })
    expect(readdirSync(folder)).toEqual(['one'])
  })
})
