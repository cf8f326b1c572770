import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { type Finding, JOBS, type Server } from '../../../contract/system.ts'
import { freshFolder } from '../../../test/support/folder.ts'
import { playlistOf, servePlaylist } from '../../../test/support/playlist.ts'
import { SECRET_KEY } from '../../../test/support/server.ts'
import { Clock, openWorld, type World } from '../../../test/support/world.ts'
import { createSeal } from '../../access/seal.ts'
import { openBackups } from '../../backup/scheduler.ts'
import { startJobs } from '../../jobs/jobs.ts'
import { openReport } from '../../jobs/report.ts'
import { lastRuns } from './runs.ts'
import { forgetServer, tellServer } from './servers.ts'

const MB = 2 ** 20
const HOUR = 3_600_000
const folder = freshFolder()
const log = pino({ level: 'silent' })
const OTHER = '00000000-0000-4000-8000-000000000000'
const NEVER = new AbortController().signal

let free = 10_000 * MB
let world: World
beforeAll(async () => {
  const clock = new Clock()
  const backups = openBackups({
    ...{ plan: { everyHours: 24, keep: 7, folder }, owner: '', key: SECRET_KEY, timeZone: 'UTC', log },
    reserve: null,
    markOf: async () => '',
    clock: () => clock.now,
  })
  world = await openWorld({
    ...{ clock, freeSpace: () => free, backups: backups.state },
    env: { FREE_DISK_MB: '300' },
  })
  makeScheduledBackup({ outcome: 'sound' })
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

const state = () => world.admin.call(calls.system.state)
const findings = async () => (await world.admin.call(calls.system.findings)).findings

/** Leaves one backup in the folder, as the schedule does. */
function makeScheduledBackup({
  hoursAgo = 1,
  outcome = 'sound',
  sentence = 'The ledger is sound.',
} = {}): void {
  rmSync(folder, { recursive: true, force: true })
  const at = new Date(world.clock.now.getTime() - hoursAgo * HOUR).toISOString()
  const backup = join(folder, `auto-${at.replace(/[:.]/g, '-')}`)
  mkdirSync(backup, { recursive: true })
  writeFileSync(join(backup, 'trial.json'), JSON.stringify({ at, outcome, sentence }))
}

/** Tells of another server of this database, by default of the same version. */
async function tellOther(other: { version?: string } = {}): Promise<void> {
  const clock = { now: () => world.clock.now, offset: () => 0 }
  const report = openReport({ config: world.server.config, clock, freeSpace: null, leaving: NEVER })
  return tellServer(world.server.sql, {
    ...{
      ...(await report()),
      id: '00000000-0000-4000-8000-000000000000',
      host: 'other',
      console_port: 8080,
      ...other,
    },
  })
}

/** Lets the server of this world tell of itself, as its heartbeat does. */
async function tellOfItself(): Promise<void> {
  const [own] = (await state()).servers
  if (own) await tellServer(world.server.sql, { ...withoutState(own), stopping: false })
}

function withoutState({ seen, state, ...report }: Server) {
  return report
}

/** Runs every job as a server does that is started, and waits until it is told how each went. */
async function runJobs(times = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    world.clock.pass({ seconds: 1 })
    const jobs = startJobs({
      ...{ sql: world.server.sql, zone: 'UTC', keepDays: 400, seal: createSeal(SECRET_KEY), log },
      ...{ playlist: { minutes: 60, isPrivateAllowed: true }, clock: () => world.clock.now },
    })
    const ended = async () => (await lastRuns(world.server.sql)).map(({ ended }) => ended)
    await expect.poll(ended).toEqual(JOBS.map(() => world.clock.now.toISOString()))
    await jobs.stop()
  }
}

describe('the state of the system', () => {
  test('tells of the database, of this server and its backups, and has no problems', async () => {
    const { schema, database, servers, findings } = await state()
    expect(schema).toMatch(/^[0-9a-f]{8}$/)
    expect(database).toMatchObject({
      ...{ version: expect.stringMatching(/^\d+\.\d+$/), writes: true, clock_behind: false },
      ...{ hosts: 1, standbys: 0, synchronous: 'off' },
    })
    expect(database.size).toBeGreaterThan(MB)
    expect(servers).toEqual([
      expect.objectContaining({
        ...{ state: 'serving', pid: process.pid, node: process.versions.node, clock_offset_ms: 0 },
        version: expect.stringMatching(/^\d+\.\d+\.\d+\+[0-9a-f]{8}$/),
        ...{ disk_free: free, disk_least: 300 * MB },
        backups: {
          ...{ every_hours: 24, kept: 1, failure: null },
          newest: new Date(world.clock.now.getTime() - HOUR).toISOString(),
          sound: new Date(world.clock.now.getTime() - HOUR).toISOString(),
          next: new Date(world.clock.now.getTime() + 23 * HOUR).toISOString(),
          test_restore: { outcome: 'sound', sentence: 'The ledger is sound.' },
        },
      }),
    ])
    expect(findings).toEqual([])
  })

  test('tells how each job went last, and when it runs again', async () => {
    await runJobs()
    const now = world.clock.now
    const { jobs } = await state()
    expect(jobs.map(({ name }) => name)).toEqual([
      'boxes',
      'clean-up',
      'counts',
      'playlist',
      'sealing',
      'statistics',
    ])
    for (const job of jobs)
      expect(job).toMatchObject({
        ended: now.toISOString(),
        succeeded: now.toISOString(),
        failures: 0,
        failure: null,
      })
    expect(Object.fromEntries(jobs.map(({ name, next }) => [name, next]))).toEqual({
      boxes: new Date(now.getTime() + 60_000).toISOString(),
      'clean-up': new Date(now.getTime() + HOUR).toISOString(),
      counts: new Date(now.getTime() + 60_000).toISOString(),
      playlist: new Date(now.getTime() + 60_000).toISOString(),
      sealing: null,
      statistics: '2026-05-16T00:01:00.000Z',
    })
  })

  test('leaves out the jobs and test restores of a newer version, for which it has no words', async () => {
    const { sql, ownerSql } = world.server
    await ownerSql`insert into job (name, took_ms, succeeded, failures) values ('later', 1, now(), 0)`
    await tellOther()
    const test_restore = { outcome: 'later', sentence: '' }
    await ownerSql`
      update server_process set backups = ${ownerSql.json({ ...(await state()).servers[0]?.backups, test_restore })}
      where id = ${OTHER}`
    const { jobs, servers } = await state()
    expect(jobs.filter(({ name }) => !JOBS.includes(name))).toEqual([])
    expect(servers[1]?.backups).toMatchObject({ kept: 1, test_restore: null })
    expect(await findings()).toEqual([])
    await ownerSql`delete from job where name = 'later'`
    await forgetServer(sql, OTHER)
  })

  test('has no password, key or connection string', async () => {
    const text = JSON.stringify(await state())
    for (const secret of [
      SECRET_KEY.toString('base64'),
      SECRET_KEY.toString('hex'),
      'postgres://',
      'boxtree_server',
    ])
      expect(text).not.toContain(secret)
  })
})

describe('a problem', () => {
  const expectFinding = async (kind: Finding['kind'], urgent: boolean, words: RegExp) => {
    const found = await findings()
    expect(found).toEqual([{ kind, urgent, sentence: expect.stringMatching(words) }])
    expect((await state()).findings).toEqual(found)
  }

  test('is a disk that is nearly full, and one on which changes are refused, until it has room', async () => {
    free = 1199 * MB
    await expectFinding(
      'disk',
      false,
      /has 1\.1 GB free; below 300 MB changes are refused\. Free space on it/,
    )
    free = 299 * MB
    await expectFinding('disk full', true, /has 299 MB free, less than the 300 MB of FREE_DISK_MB/)
    free = 1200 * MB
    expect(await findings()).toEqual([])
  })

  test('is a job that fails three times in a row, until it ends well', async () => {
    const { ownerSql } = world.server
    await ownerSql`alter function settle_counts(integer) rename to hidden`
    await runJobs(2)
    expect(await findings()).toEqual([])
    await runJobs()
    await expectFinding(
      'job',
      true,
      /Counts has failed 3 times in a row: function settle_counts\(.*does not exist\./,
    )
    expect((await state()).jobs.find(({ name }) => name === 'counts')).toMatchObject({ failures: 3 })
    await ownerSql`alter function hidden(integer) rename to settle_counts`
    await runJobs()
    expect(await findings()).toEqual([])
  })

  test('is a job that has not ended for long', async () => {
    world.clock.pass({ minutes: 11 })
    const late = (await findings()).map(({ kind, sentence }) => `${kind}: ${sentence}`)
    expect(late).toEqual([
      expect.stringMatching(/^job: The job Boxes has not succeeded for 11 minutes\./),
      expect.stringMatching(/^job: The job Counts has not succeeded for 11 minutes\./),
      expect.stringMatching(/^job: The job Playlist has not succeeded for 11 minutes\./),
    ])
    await runJobs()
    expect(await findings()).toEqual([])
  })

  test('is a server that is not heard of, until it is', async () => {
    await tellOther()
    expect(await findings()).toEqual([])
    world.clock.pass({ seconds: 61 })
    const other = async () => (await state()).servers[1]
    // Nobody can tell of itself, or this one would have.
    expect(await other()).toMatchObject({ host: 'other', state: 'unknown' })
    expect(await findings()).toEqual([])
    await tellOfItself()
    await expectFinding('server', true, /^The server other:8080 is gone: .* for 1 minute\. Start it again\./)
    expect(await other()).toMatchObject({ host: 'other', state: 'gone' })
    await tellOther()
    expect(await findings()).toEqual([])
  })

  test('is a server that runs another version for more than an hour, until it runs the same', async () => {
    const { version = '' } = (await state()).servers[0] ?? {}
    await forgetServer(world.server.sql, OTHER)
    await tellOther({ version: '9.9.9' })
    expect(await findings()).toEqual([])
    world.clock.pass({ hours: 1 })
    await tellOther()
    await runJobs()
    const words = new RegExp(
      `runs Boxtree ${version.replace('+', '\\+')} and other:8080 runs 9.9.9, for more than an hour`,
    )
    await expectFinding('versions', false, words)
    await forgetServer(world.server.sql, OTHER)
    await tellOther({ version })
    expect(await findings()).toEqual([])
  })

  test.each([
    [
      'unsound',
      true,
      /^The newest backup cannot be trusted: Two credits are lost\. No backup is proved sound\. Run npm run verify/,
    ],
    ['left out', false, /^Two credits are lost\.$/],
  ] as const)(
    'is a newest backup whose test restore was %s, until the next is sound',
    async (outcome, urgent, words) => {
      makeScheduledBackup({ outcome, sentence: 'Two credits are lost.' })
      await expectFinding('backup', urgent, words)
      makeScheduledBackup()
      expect(await findings()).toEqual([])
    },
  )

  test('is a playlist that is held back, or was not read for three times PLAYLIST_MINUTES, until it is read again', async () => {
    await forgetServer(world.server.sql, OTHER)
    const served = await servePlaylist(playlistOf(20))
    await world.admin.call(calls.channels.giveAddress, { address: served.address })
    const hour = async () => {
      world.clock.pass({ hours: 1 })
      await runJobs()
    }
    served.serve('<html>Your subscription has ended.</html>')
    await hour()
    await expectFinding(
      'playlist',
      false,
      /^The playlist that was read last is held back: it has no channels\. Is it an M3U playlist\? .* Open Channels to read it again,/,
    )
    served.serve(playlistOf(20))
    await hour()
    expect(await findings()).toEqual([])
    served.serve((_, response) => response.writeHead(403).end())
    for (let failures = 0; failures < 2; failures += 1) {
      await hour()
      expect(await findings()).toEqual([])
    }
    await hour()
    await expectFinding(
      'playlist',
      false,
      /^The playlist has not been read for 3 hours: The address answered with the status 403\. .* Open Channels/,
    )
    served.serve(playlistOf(20))
    await hour()
    expect(await findings()).toEqual([])
  })

  test('is a newest backup that is older than twice BACKUP_EVERY', async () => {
    makeScheduledBackup({ hoursAgo: 48 })
    expect(await findings()).toEqual([])
    makeScheduledBackup({ hoursAgo: 49 })
    await expectFinding(
      'backup',
      true,
      /^The newest backup is 2 days old, although one is to be made every 24 hours\./,
    )
    makeScheduledBackup()
    expect(await findings()).toEqual([])
  })
})
