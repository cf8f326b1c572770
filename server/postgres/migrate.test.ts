import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { holdOpen } from '../../test/support/hold.ts'
import { StartFault } from '../config.ts'
import { prove } from '../verify/proof.ts'
import { begin } from './begin.ts'
import { LOCKS } from './locks.ts'
import { migrate, refuseUntried } from './migrate.ts'
import { type Connect, openPool, withPool } from './pool.ts'
import { BEFORE_020, makeSchema } from './schema.ts'

let database: FreshDatabase
let said: string[]

beforeEach(async () => {
  database = await freshDatabase({ migrated: false })
  said = []
})

afterEach(() => database.drop())

function run(): Promise<void> {
  return migrate({ server: database.server, owner: database.owner, say: (line) => said.push(line) })
}

function age(): Promise<void> {
  return begin(database.ownerSql, (sql) => makeSchema(sql, BEFORE_020))
}

async function isBefore020(): Promise<boolean> {
  const [row] = await database.ownerSql<{ there: boolean }[]>`
    select to_regclass('migration') is not null and to_regclass('setup') is null as there`
  return row?.there ?? false
}

test.each([14, 16, 17, 19])(
  'PostgreSQL %i, on which nothing was tried, is refused in one sentence',
  (version) => {
    expect(() => refuseUntried(version)).toThrow(
      new StartFault(
        `PostgreSQL ${version} is not supported: Boxtree is tested on 15 and 18; use one of these.`,
      ),
    )
    for (const tried of [15, 18]) refuseUntried(tried)
  },
)

test('on a version that was not tried, no table is made', async () => {
  await withPool(
    database.superuser,
    { max: 1 },
    (sql) => sql`
      create or replace function pg_catalog.current_setting(text) returns text language sql as $$ select '170004' $$`,
  )
  await expect(run()).rejects.toThrow('PostgreSQL 17 is not supported')
  expect(said).toEqual([])
})

describe('a migration', () => {
  test('creates the tables of an empty database once, and lets the server read them', async () => {
    await run()
    await run()
    expect(said).toEqual(['Making the tables'])
    expect(await database.sql`select * from account`).toEqual([])
  })

  test('restores the rights of the server at every start', async () => {
    await run()
    await database.ownerSql`grant delete on transfer to boxtree_server`
    await run()
    await expect(database.sql`delete from transfer`).rejects.toThrow('permission denied')
  })

  test('leaves the rights to what others have made in the database, as extensions do', async () => {
    await run()
    await withPool(database.superuser, { max: 1 }, async (sql) => {
      await sql`create table of_another (text text)`
      await sql`grant select on of_another to pg_monitor`
      await sql`create function of_another() returns int language sql as 'select 1'`
      await sql`revoke all on function of_another() from public`
      const rights = () => sql`
        select relacl::text, proacl::text from pg_class, pg_proc where relname = 'of_another' and proname = relname`
      const before = await rights()
      await run()
      expect(await rights()).toEqual(before)
    })
  })

  test('refuses tables whose next numbers are taken, as a copy by logical replication leaves them', async () => {
    await run()
    const { ownerSql } = database
    await ownerSql`
      insert into account (name, role, password, settings, created) values ('admin', 'admin', '', '{}', now())`
    const remedies = ['account', 'holding'].map(
      (table) => `select setval('public.${table}_id_seq', max(id)) from ${table};`,
    )
    for (const table of ['account', 'holding']) {
      const sequence = `${table}_id_seq`
      await ownerSql`select setval(${sequence}, max(id), false) from ${ownerSql(table)}`
    }
    const behind = `The next numbers of account, holding are those of rows that are there, as a copy by logical replication leaves them. Run as the owner of the tables: ${remedies.join(' ')}`
    await expect(run()).rejects.toThrow(new StartFault(behind))
    expect((await proof(database.owner)).at(-2)).toBe(behind)
    // The server's own role cannot tell, and `verify` says so.
    const untold = await proof(database.server)
    expect(untold.join()).not.toContain('next numbers')
    expect(untold).toContain(
      'Warning: boxtree_server does not own the tables, so nobody looked whether the numbers of new rows are taken, or whether views, and functions that are written as an expression, were rewritten. Set DATABASE_OWNER_URL for that.',
    )
    // Whoever counts on by hand has no number taken.
    await ownerSql`alter table account alter id restart with 1001`
    await ownerSql.unsafe(remedies[1] ?? '')
    await run()
    expect((await proof(database.owner)).join()).not.toContain('next numbers')

    async function proof(owner: Connect): Promise<string[]> {
      const lines: string[] = []
      await prove({ server: database.server, owner }, (line) => lines.push(line))
      return lines
    }
  })

  test('refuses the extension of searches in a schema of its own, and says how it is moved', async () => {
    await withPool(database.superuser, { max: 1 }, async (sql) => {
      await sql`create schema extensions`
      await sql`create extension pg_trgm schema extensions`
      await expect(run()).rejects.toThrow(
        'The extension pg_trgm of this database is in the schema extensions. Move it: alter extension pg_trgm set schema public.',
      )
      await sql`alter extension pg_trgm set schema public`
    })
    await run()
  })

  test('runs once if two programs start at the same time', async () => {
    await Promise.all([run(), run()])
    // On a slow machine the second one says that it waits.
    expect(said.filter((line) => !line.startsWith('Waiting'))).toEqual(['Making the tables'])
  })

  test('says that it waits for another program, and ends when it is told to stop', async () => {
    await run()
    const stopping = new AbortController()
    const other = openPool(database.owner, { max: 1 })
    await other`select pg_advisory_lock(${LOCKS.schema})`
    try {
      const say = (line: string) => {
        said.push(line)
        stopping.abort()
      }
      const { server, owner } = database
      await expect(migrate({ server, owner, say, stopping: stopping.signal })).rejects.toThrow('aborted')
      expect(said.slice(1)).toEqual(['Waiting for another program that is making or changing the tables'])
    } finally {
      await other.end()
    }
  })

  test('is refused in one sentence while another program uses the older tables', async () => {
    await age()
    const release = await holdOpen(database.ownerSql, (sql) => sql`select from client`)
    await expect(run()).rejects.toThrow(
      new StartFault(
        'The tables cannot be brought forward while another program uses them; stop every console of this database, and start again.',
      ),
    )
    await release()
    await run()
    expect(await isBefore020()).toBe(false)
  })

  test('waits for as long as a backup is being made', async () => {
    await age()
    const backup = openPool(database.owner, { max: 1 })
    // Longer than another program is waited for.
    const copied = backup.begin(async (sql) => {
      await sql`lock table client in access share mode`
      const rows = await sql`copy (select pg_sleep(16)) to stdout`.readable()
      for await (const _ of rows);
    })
    const copying = () => database.ownerSql`
      select from pg_stat_activity where query like 'copy (select pg_sleep%' and state = 'active'`
    try {
      await expect.poll(async () => (await copying()).length).toBe(1)
      await run()
      expect(said).toContain('Waiting until the backup that is being made is complete')
      expect(await isBefore020()).toBe(false)
    } finally {
      await copied
      await backup.end()
    }
  })

  test('brings the schema before 0.2.0 forward once', async () => {
    await age()
    await run()
    await run()
    expect(said).toEqual(['Bringing the tables of the older version forward'])
    expect(await isBefore020()).toBe(false)
  })

  test('leaves an old database as it was if one of its rows breaks a new constraint', async () => {
    await age()
    await database.ownerSql`
      insert into account (name, role, parent, superreseller, reseller, password, settings, created) values
        ('admin', 'admin', null, null, null, '', '{}', now()), ('north', 'superreseller', 1, null, null, '', '{}', now()),
        ('south', 'superreseller', 1, null, null, '', '{}', now()), ('city', 'reseller', 2, 2, null, '', '{}', now()),
        ('corner', 'dealer', 4, 3, 4, '', '{}', now())`
    await expect(run()).rejects.toThrow('account_path_fk')
    expect(await isBefore020()).toBe(true)
  })

  test.each([
    [
      'another version has created',
      () => database.ownerSql`update setup set value = 'another' where key = 'schema'`,
    ],
    ['does not name its schema', () => database.ownerSql`truncate setup`],
  ])('refuses, in one sentence, a database that %s', async (_what, change) => {
    await run()
    await change()
    await expect(run()).rejects.toThrow(unknownSchema())
  })

  test.each([
    [
      'only some of its steps',
      (sql: FreshDatabase['ownerSql']) => sql`delete from migration where name > '012'`,
    ],
    [
      'a step that it never had',
      (sql: FreshDatabase['ownerSql']) => sql`insert into migration (name, checksum) values ('014', '')`,
    ],
    [
      'a step that was changed',
      (sql: FreshDatabase['ownerSql']) => sql`update migration set checksum = '' where name < '002'`,
    ],
    ['no steps at all', (sql: FreshDatabase['ownerSql']) => sql`drop table migration`],
  ])('refuses, in one sentence, an older database with %s', async (_what, change) => {
    await age()
    await change(database.ownerSql)
    await expect(run()).rejects.toThrow(unknownSchema())
  })

  test.each(['setup', 'migration', 'account'])(
    'refuses, in one sentence, a database in which another program has a table of our name: %s',
    async (name) => {
      await database.ownerSql.unsafe(`create table ${name} (version text)`)
      await expect(run()).rejects.toThrow(
        new StartFault(
          'The database of DATABASE_URL has tables of something else, and nothing was changed in it: give Boxtree a database of its own.',
        ),
      )
    },
  )

  test('makes the tables in the schema public, whatever schemas the role looks into first', async () => {
    await withPool(database.superuser, { max: 1 }, (sql) => {
      return sql`create schema boxtree_owner authorization boxtree_owner`
    })
    await run()
    await run()
    expect(said).toEqual(['Making the tables'])
    expect(await database.sql`select * from public.account`).toEqual([])
  })

  test('warns if the console runs as the owner of the tables', async () => {
    await migrate({ server: database.owner, owner: database.owner, say: (line) => said.push(line) })
    expect(said.at(-1)).toMatch(/^Warning: boxtree_owner owns the tables and runs the console too/)
  })
})

function unknownSchema(): StartFault {
  return new StartFault(
    'This program does not know the schema of the database; run the version of Boxtree that wrote it.',
  )
}
