import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { offers } from '../../test/support/needs.ts'
import { openPostgresProxy } from '../../test/support/postgres-proxy.ts'
import { begin } from './begin.ts'
import { faultsOfDatabaseUrl } from './database-url.ts'
import { hostsOf, openPool, type Sql, sessionSettings, withPool } from './pool.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase({ migrated: false })
})
afterAll(() => database.drop())

test.each(Object.keys(sessionSettings(false)))(
  'a setting of each connection is refused in the URL of the database, which the driver would take instead: %s',
  (setting) => {
    expect(faultsOfDatabaseUrl('DATABASE_URL', `postgres://u:p@one/boxtree?${setting}=1`)).toEqual([
      `DATABASE_URL has ${setting}, which Boxtree sets for each of its connections; take it out.`,
    ])
  },
)

test('a connection has the settings of Boxtree, whatever those of its role are', async () => {
  const { ownerSql, server } = database
  const [row] = await ownerSql<{ name: string }[]>`select current_database() as name`
  const name = ownerSql(row?.name ?? '')
  await ownerSql`alter database ${name} set search_path = elsewhere`
  await ownerSql`alter database ${name} set default_transaction_isolation = 'serializable'`
  await ownerSql`alter database ${name} set default_transaction_read_only = on`
  await ownerSql`alter database ${name} set bytea_output = 'escape'`
  const sql = openPool(server, { max: 1 })
  try {
    expect(
      await sql`
        select current_setting('search_path') as path, current_setting('transaction_isolation') as isolation,
          current_setting('transaction_read_only') as read_only, 'é'::bytea as bytes`,
    ).toEqual([{ path: 'public', isolation: 'read committed', read_only: 'off', bytes: Buffer.from('é') }])
  } finally {
    await sql.end({ timeout: 1 })
    await ownerSql.begin('read write', (sql) => sql`alter database ${sql(row?.name ?? '')} reset all`)
  }
})

test('what runs without time limits has none, also where its role has some', async () => {
  const { ownerSql, owner } = database
  const [row] = await ownerSql<{ name: string }[]>`select current_database() as name`
  const name = ownerSql(row?.name ?? '')
  for (const limit of ['statement', 'lock', 'idle_in_transaction_session', 'transaction'])
    await ownerSql`alter role boxtree_owner in database ${name} set ${ownerSql(`${limit}_timeout`)} = '50ms'`
  await withPool(owner, { max: 2, isLong: true }, async (sql) => {
    const work = async (sql: Sql) => {
      await sql`select pg_sleep(0.2)`
      await pause(200)
      expect(await sql`select current_setting('lock_timeout') as lock`).toEqual([{ lock: '0' }])
    }
    await Promise.all([begin(sql, work), begin(sql, work)])
  })
})

test.each([
  ['one', [['one', 5432]]],
  ['u:p@one:6000', [['one', 6000]]],
  [
    'u@one:6000,two',
    [
      ['one', 6000],
      ['two', 6000],
    ],
  ],
  [
    'one,two:6000',
    [
      ['one', 5432],
      ['two', 6000],
    ],
  ],
  ['u:p@[2001:db8::1]', [['2001:db8::1', 5432]]],
  [
    'u:p@[::1]:6000,two:5433,[::2]',
    [
      ['::1', 6000],
      ['two', 5433],
      ['::2', 6000],
    ],
  ],
  ['u:p:%5B@', [['localhost', 5432]]],
  ['', [['localhost', 5432]]],
])('a connection string with %s names its hosts and their ports', (authority, hosts) => {
  expect(hostsOf(`postgres://${authority}/shop?sslmode=require`)).toEqual(
    hosts.map(([host, port]) => ({ host, port })),
  )
})

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

describe.runIf(offers(hasIPv6, 'The tests of addresses of IPv6', 'the address ::1'))('over IPv6', () => {
  test.each(['[::1]:PORT', '127.0.0.1:1,[::1]:PORT'])('a pool reaches %s', async (hosts) => {
    const { server } = database
    if (typeof server === 'string') throw new Error('the address leads to a unix socket')
    const address = createServer((line) => line.pipe(connect(server.socket)).pipe(line)).listen(0, '::1')
    await once(address, 'listening')
    const authority = hosts.replace('PORT', String((address.address() as AddressInfo).port))
    const sql = openPool(`postgres://${server.user}@${authority}/${server.database}`, { max: 1 })
    try {
      expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    } finally {
      await sql.end({ timeout: 1 })
      address.close()
    }
  })
})

test('a process ends although work was given up, also over a unix socket that a URL names', () => {
  const { server } = database
  if (typeof server === 'string') throw new Error('the address leads to a unix socket')
  const url = `postgres://${server.user}@${encodeURIComponent(dirname(server.socket))}/${server.database}`
  const script = `
    const { withPool } = await import(${JSON.stringify(import.meta.resolve('./pool.ts'))})
    await withPool(process.argv[1], { max: 1 }, async (sql) => {
      await sql\`select 1\`
      sql\`select pg_sleep(60)\`.catch(() => {})
    })`
  // It is ended by the limit only where it would wait for the statement, which PostgreSQL ends after 30 s.
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script, url], {
    timeout: 20_000,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
})

test.each([false, true])(
  'the error of a host that lets nobody in is reported as it is, not as a lost connection (with a standby wanted: %s)',
  async (standby) => {
    const { server } = database
    if (typeof server === 'string') throw new Error('the address leads to a unix socket')
    const { port, close } = await openPostgresProxy(server)
    const url = `postgres://${server.user}@127.0.0.1:1,127.0.0.1:${port}/no_such_shop`
    const sql = openPool(url, { max: 1, standby })
    try {
      await expect(sql`select 1`).rejects.toMatchObject({
        code: '3D000',
        message: 'database "no_such_shop" does not exist',
      })
    } finally {
      await sql.end({ timeout: 1 })
      await close()
    }
  },
)
