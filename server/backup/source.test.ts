import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { urlOf } from '../../test/support/external.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { Pair } from '../../test/support/pair.ts'
import { SECRET_KEY } from '../../test/support/server.ts'
import { openWorld } from '../../test/support/world.ts'
import { storeOrCheckKey } from '../access/key-check.ts'
import { createSeal } from '../access/seal.ts'
import { databaseOf } from '../nouns/system/database.ts'
import { begin } from '../postgres/begin.ts'
import { migrate } from '../postgres/migrate.ts'
import { openPool, type Sql } from '../postgres/pool.ts'
import { readManifest } from './archive.ts'
import { restoreBackup } from './restore.ts'
import { openSource } from './source.ts'
import { takeBackup } from './take.ts'

let pair: Pair
let said: string[]
let promote: () => Promise<void>
beforeAll(async () => {
  pair = await Pair.start([freshFolder(), freshFolder()])
  await using(pair.at('holder', 'shop'), async (sql) => {
    // Beside the tables of Boxtree, which would not be made among others.
    await sql`create schema outside`
    await sql`create table outside.note (word text)`
  })
  await pair.join()
})
afterAll(() => pair?.stop())
beforeEach(() => {
  said = []
})
afterEach(() => vi.restoreAllMocks())

/**
 * Locks a table against everybody, as a migration does, and returns once the standby has done so too, which ends what
 * reads there. The backup waits for nothing else.
 */
function changeTables(): void {
  const script = `
    const { openPool } = await import(${JSON.stringify(import.meta.resolve('../postgres/pool.ts'))})
    const sql = openPool(${JSON.stringify(pair.at('postgres', 'shop'))}, { max: 1 })
    await sql.unsafe('begin; set local synchronous_commit = local; lock account in access exclusive mode; commit')
    const [{ at }] = await sql.unsafe('select pg_current_wal_lsn()::text as at')
    const standby = openPool(${JSON.stringify(urlOf('postgres', 'shop', pair.ports.standby))}, { max: 1, standby: true })
    const isThere = async () => (await standby.unsafe('select pg_last_wal_replay_lsn() >= $1::pg_lsn as yes', [at]))[0].yes
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 10))
    await standby.end()
    await sql.end()`
  execFileSync(process.execPath, ['--input-type=module', '--eval', script])
}

async function using<T>(to: string, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = openPool(to, { max: 1, standby: true })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Lets a minute pass in some hundredths of a second. */
function hurryTime(): void {
  const clock = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => clock() * 1_000)
}

/** Writes a word that waits for no standby. */
function write(word: string): Promise<unknown> {
  return using(pair.at('holder', 'shop'), (sql) =>
    begin(sql, async (sql) => {
      await sql`set local synchronous_commit = local`
      await sql`insert into outside.note values (${word})`
    }),
  )
}

/** Returns which server a backup is read from, and whether it has a word. */
async function source(word: string, options = ''): Promise<{ from: string; has: boolean }> {
  const owner = `${pair.standbyFirst('holder', 'shop')}${options}`
  const { sql } = await openSource({ owner, say: (line) => said.push(line) })
  try {
    const [row] = await sql<{ from: string; has: boolean }[]>`
      select case when pg_is_in_recovery() then 'standby' else 'primary' end as from,
        exists (select from outside.note where word = ${word}) as has`
    return row ?? { from: '', has: false }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test('a stream that replays nothing, as that of a backup tool, counts as no standby', async () => {
  const told = async (user: string) => {
    const { standbys, synchronous } = await using(pair.at(user, 'shop'), (sql) => databaseOf(sql, ''))
    return { standbys, synchronous }
  }
  const users = ['postgres', 'console']
  for (const user of users) expect(await told(user), user).toEqual({ standbys: 1, synchronous: 'there' })
  const [written] = await using(
    pair.at('postgres', 'shop'),
    (sql) => sql<{ at: string }[]>`
    select pg_current_wal_lsn()::text as at`,
  )
  const stream = await receive(written?.at ?? '')
  try {
    const seen = () =>
      using(
        pair.at('postgres', 'shop'),
        (sql) => sql`
      select from pg_stat_replication where application_name = 'pg_receivewal' and state = 'streaming'`,
      )
    await expect.poll(async () => (await seen()).length).toBe(1)
    for (const user of users) expect(await told(user), user).toEqual({ standbys: 1, synchronous: 'there' })
  } finally {
    stream.destroy()
  }
})

/** Has the primary send its log from a place on, as `pg_receivewal` does. */
async function receive(from: string): Promise<Socket> {
  const socket = connect(pair.ports.primary, '127.0.0.1')
  const parameters = 'user\0postgres\0replication\0true\0application_name\0pg_receivewal\0\0'
  socket.write(Buffer.concat([int32(8 + parameters.length), int32(196608), Buffer.from(parameters)]))
  // Authentication, parameters, and that the server is ready.
  await once(socket, 'data')
  const query = `START_REPLICATION PHYSICAL ${from}\0`
  socket.write(Buffer.concat([Buffer.from('Q'), int32(4 + query.length), Buffer.from(query)]))
  return socket.resume()
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

describe('a backup', () => {
  test('that the standby ends for a change of its tables begins again from the primary', async () => {
    const { DATABASE_URL: server, DATABASE_OWNER_URL: owner } = pair.env
    await migrate({ server, owner, say: () => {} })
    await using(pair.at('holder', 'shop'), (sql) => storeOrCheckKey(sql, createSeal(SECRET_KEY)))
    await using(urlOf('postgres', 'shop', pair.ports.standby), async (sql) => {
      await sql`alter system set max_standby_streaming_delay = 0`
      await sql`select pg_reload_conf()`
    })
    const folder = join(freshFolder(), 'backup')
    let chunks = 0
    const manifest = await takeBackup({
      owner: pair.standbyFirst('holder', 'shop'),
      key: SECRET_KEY,
      timeZone: 'UTC',
      folder,
      say: (line) => said.push(line),
      reserve: { folder: join(folder, '..'), bytes: 1 },
      free() {
        chunks += 1
        if (chunks === 1) changeTables()
        return 10
      },
    })
    expect(said.filter((line) => line.includes('standby'))).toEqual([
      'The standby ended the backup, which begins again from the primary. If it does so often, set hot_standby_feedback = on there.',
    ])
    expect(readManifest(folder)).toEqual(manifest)
  })

  test('is taken from the standby once that has what the primary has', async () => {
    const replay = (word: 'pause' | 'resume') =>
      using(urlOf('postgres', 'shop', pair.ports.standby), (sql) =>
        sql.unsafe(`select pg_wal_replay_${word}()`),
      )
    await replay('pause')
    await write('late')
    const found = source('late')
    await pause(500)
    await replay('resume')
    expect(await found).toEqual({ from: 'standby', has: true })
    expect(said).toEqual([])
  })

  test.each([
    '?target_session_attrs=read-write',
    '?target_session_attrs=primary&sslmode=disable',
    '?sslmode=disable&target_session_attrs=any',
  ])('is taken from the standby also where the URL of the database has %s', async (options) => {
    await write(options)
    expect(await source(options, options)).toEqual({ from: 'standby', has: true })
  })

  test('is taken from the primary if the standby receives nothing, and is still behind after a minute', async () => {
    await pair.cutOff()
    await write('unreplicated')
    const at = urlOf('postgres', 'shop', pair.ports.standby)
    const [start] = await using(at, (sql) => sql<{ now: string }[]>`select clock_timestamp()::text as now`)
    const clock = performance.now.bind(performance)
    const began = clock()
    const shown = vi.spyOn(performance, 'now')
    const ended = vi.fn()
    const found = source('unreplicated').finally(ended)
    // In two parts, so that this query is not among those that it counts.
    const looks = () =>
      using(
        at,
        (sql) => sql`
          select from pg_stat_activity
          where query like '%pg_last_wal' || '_replay_lsn%' and query_start > ${start?.now ?? ''}`,
      )
    await expect.poll(async () => (await looks()).length).toBe(1)
    shown.mockReturnValue(began + 60_000)
    // Meanwhile it looks several times.
    await pause(1_000)
    expect(ended).not.toHaveBeenCalled()
    shown.mockImplementation(() => clock() + 60_001)
    expect(await found).toEqual({ from: 'primary', has: true })
    expect(said).toEqual(['The standby lacks what the primary has, so the backup is taken from the primary.'])
  })

  test('is restored although no standby confirms its rows', async () => {
    const folder = join(freshFolder(), 'backup')
    const world = await openWorld()
    await takeBackup({
      owner: world.server.database.owner,
      key: SECRET_KEY,
      timeZone: 'UTC',
      folder,
      say: () => {},
    })
    await world.close()
    await using(pair.at('postgres', 'postgres'), async (sql) => {
      await sql`set synchronous_commit = local`
      await sql`create database restored owner holder`
    })
    const owner = pair.at('holder', 'restored')
    const manifest = readManifest(folder)
    await restoreBackup({ owner, key: SECRET_KEY, folder, manifest, say: () => {}, onRestored: () => {} })
    const [row] = await using(
      owner,
      (sql) => sql<{ admins: number }[]>`select count(*)::int as admins from account`,
    )
    expect(row?.admins).toBe(1)
  })

  test('is taken from the standby where no primary answers, and says that its age cannot be told', async () => {
    promote = await pair.losePrimary()
    hurryTime()
    expect(await source('unreplicated')).toEqual({ from: 'standby', has: false })
    expect(said).toEqual(['No primary answers, so nobody can tell how old the rows of the standby are.'])
  })

  test('is not taken from the primary before a failover, whose log went on for longer, once that is a standby', async () => {
    await promote()
    await pair.rejoinAsItIs()
    await write('since the failover')
    hurryTime()
    expect(await source('since the failover')).toEqual({ from: 'primary', has: true })
    expect(said).toEqual([
      'The standby has not followed the primary since the last failover, as far as it tells, so the backup is taken from the primary.',
    ])
  })
})
