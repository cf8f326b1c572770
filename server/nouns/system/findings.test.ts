import { expect, test } from 'vitest'
import type { Backups, Database, Server } from '../../../contract/system.ts'
import { findingsOf } from './findings.ts'

// What no test can cause in a moment; the others are caused in system.test.ts and heartbeat.test.ts.

const now = new Date('2026-05-15T10:00:00.000Z')

const DATABASE: Database = {
  ...{ version: '18.4', host: '10.0.0.1:5432', hosts: 1, standbys: 0, synchronous: 'off' },
  ...{ writes: true, clock_behind: false },
}

const SERVER: Server = {
  ...{ id: 'a', host: 'one', pid: 1, version: '0.2.0', node: '24.0.0', console_port: 8080, box_port: 8080 },
  ...{ started: '2026-05-01T10:00:00.000Z', seen: now.toISOString(), state: 'serving', clock_offset_ms: 0 },
  ...{ database_host: '10.0.0.1:5432', disk_free: null, disk_least: null, backups: null },
}

const BACKUPS: Backups = {
  ...{ every_hours: 24, kept: 1, newest: '2026-05-15T03:00:00.000Z', sound: '2026-05-15T03:00:00.000Z' },
  ...{ test_restore: { outcome: 'sound', sentence: '' }, next: '2026-05-16T03:00:00.000Z', failure: null },
}

function found(database: Partial<Database> = {}, ...servers: Partial<Server>[]) {
  const all = [SERVER, ...servers.map((server) => ({ ...SERVER, ...server }))]
  return findingsOf({
    database: { ...DATABASE, ...database },
    newest: null,
    silentProxy: false,
    servers: all,
    jobs: [],
    playlist: null,
    playlistMinutes: 60,
    now,
  })
}

test('a database that commits nothing is reported as urgent', () => {
  expect(found({ writes: false })).toEqual([
    { kind: 'no writes', urgent: true, sentence: expect.stringContaining('still the primary') },
  ])
})

test('a standby is missed where DATABASE_URL names several hosts, and nowhere else', () => {
  expect(found({ hosts: 2 })).toEqual([
    { kind: 'standby', urgent: false, sentence: expect.stringContaining('No standby follows') },
  ])
  expect(found({ hosts: 2, standbys: 1 })).toEqual([])
  expect(found({ hosts: 3, standbys: 2, synchronous: 'there' })).toEqual([])
  expect(found({ hosts: 3, standbys: 1, synchronous: 'there' })).toEqual([
    {
      kind: 'standby',
      urgent: false,
      sentence: expect.stringContaining(
        'Only 1 of the 2 standbys that DATABASE_URL names follows the primary directly.',
      ),
    },
  ])
})

test('servers that cannot write are not called gone', () => {
  const kinds = found({ writes: false }, { id: 'b', state: 'unknown', seen: '2026-05-15T09:00:00.000Z' })
  expect(kinds.map(({ kind }) => kind)).toEqual(['no writes'])
})

test('a try to make a backup that failed after the newest one is reported, on whichever server, until one succeeds', () => {
  const failure = { at: '2026-05-15T09:00:00.000Z', message: 'There is no room' }
  const failing = { id: 'b', host: 'two', backups: { ...BACKUPS, newest: null, failure } }
  expect(found({}, { id: 'c', backups: BACKUPS }, failing)).toEqual([
    { kind: 'backup', urgent: false, sentence: expect.stringContaining('two says: There is no room. It is') },
  ])
  const newer = { ...BACKUPS, newest: '2026-05-15T09:30:00.000Z' }
  expect(found({}, { id: 'c', backups: newer }, failing)).toEqual([])
})

test('a newest backup that cannot be trusted is reported with the moment of the last one that can, in UTC', () => {
  const unsound = {
    ...BACKUPS,
    test_restore: { at: BACKUPS.newest, outcome: 'unsound' as const, sentence: 'No' },
  }
  expect(found({}, { backups: { ...unsound, sound: '2026-05-14T02:30:59.000Z' } })).toMatchObject([
    { sentence: expect.stringContaining(' No. The last sound one is of 2026-05-14 02:30 UTC; keep it. ') },
  ])
})

test('a server that has never made a backup is reported after twice BACKUP_EVERY', () => {
  const never = { ...BACKUPS, newest: null, sound: null, test_restore: null }
  expect(found({}, { started: '2026-05-13T10:00:00.000Z', backups: never })).toEqual([])
  expect(found({}, { started: '2026-05-13T09:59:59.000Z', backups: never })).toEqual([
    {
      kind: 'backup',
      urgent: true,
      sentence: expect.stringMatching(
        /^There is no backup, although .* where there is room: npm run backup -- FOLDER\.$/,
      ),
    },
  ])
})

test('no backup is said not to be there where their folder could not be read', () => {
  const failure = { at: '2026-05-15T09:00:00.000Z', message: 'EACCES: permission denied' }
  const unread = { ...BACKUPS, newest: null, sound: null, test_restore: null, failure }
  expect(found({}, { host: 'one', started: '2026-05-13T09:59:59.000Z', backups: unread })).toMatchObject([
    {
      sentence: expect.stringMatching(
        /^No backup can be found, .* one says: EACCES: permission denied\. See /,
      ),
    },
  ])
})
