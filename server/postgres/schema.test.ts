import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { begin } from './begin.ts'
import { migrate } from './migrate.ts'
import type { Sql } from './pool.ts'
import {
  ageOf,
  BEFORE_020,
  BETWEEN_RELEASES,
  checksumOfStatements,
  fingerprintOf,
  KNOWN_TABLES,
  makeSchema,
  makeTablesOf,
  originOf,
  PRESENT,
  RELEASE,
} from './schema.ts'

const made: FreshDatabase[] = []
afterEach(async () => {
  for (const database of made.splice(0)) await database.drop()
})

async function database(before: (sql: Sql) => Promise<void> = async () => {}): Promise<Sql> {
  const one = await freshDatabase({ migrated: false })
  made.push(one)
  await begin(one.ownerSql, before)
  await migrate({ ...one, say: () => {} })
  return one.ownerSql
}

test('a database from before 0.2.0 that is brought forward has the same schema as a new one', async () => {
  const fresh = await database()
  const brought = await database((sql) => makeSchema(sql, BEFORE_020))
  for (const [kind, ask] of Object.entries(CATALOG)) {
    const [expected, found] = [await ask(fresh), await ask(brought)]
    expect(expected.length, kind).toBeGreaterThan(0)
    expect(linesOf(found), kind).toEqual(linesOf(expected))
  }
})

test('idempotency keys from before 0.2.0 are stored under the present names of their calls', async () => {
  const sql = await database(async (sql) => {
    await makeSchema(sql, BEFORE_020)
    await sql`
      insert into account (name, role, password, settings, created) values ('admin', 'admin', 'none', '{}', now())`
    await sql`
      insert into answer (account, call, key, body_hmac, reply, created)
      select a.id, address, 'kept', '', '{}', now() from account a, unnest(${['POST /api/renew', 'POST /reseller/save', 'DELETE /admin/message']}::text[]) address`
  })
  const kept = await sql<{ call: string }[]>`select call from idempotency_key order by call`
  expect(kept.map(({ call }) => call)).toEqual(['admin.removeMessage', 'clients.renew', 'level.dealer.save'])
})

test('the counts of all clients and of months are those that were kept for each account before', async () => {
  const released = originOf(RELEASED['0.2.0'])
  if (!released) throw new Error('the tables of 0.2.0 cannot be made')
  const [one, two] = ['2026-01-31 23:59:59+00', '2026-02-28 23:59:59+00']
  const sql = await database(async (sql) => {
    await makeTablesOf(sql, released, RELEASE)
    await sql`
      insert into account (name, role, parent, superreseller, reseller, password, settings, created)
      values ('admin', 'admin', null, null, null, '', '{}', now()), ('super-1', 'superreseller', 1, null, null, '', '{}', now()),
        ('super-2', 'superreseller', 1, null, null, '', '{}', now()), ('reseller', 'reseller', 2, 2, null, '', '{}', now()),
        ('dealer', 'dealer', 4, 2, 4, '', '{}', now())`
    await sql`
      insert into settled_count (account, expiry, clients)
      values (2, ${one}, 3), (5, ${one}, 3), (3, ${one}, 4), (3, ${two}, 5)`
    await sql`insert into count_change (dealer, superreseller, expiry, clients) values (5, 2, ${two}, 1)`
  })
  const totals = () => sql`select expiry, sum(clients) as clients from total_count group by 1 order by 1`
  const expected = [
    { expiry: '2026-01-31T23:59:59.000Z', clients: 7 },
    { expiry: '2026-02-28T23:59:59.000Z', clients: 6 },
  ]
  const months = async () =>
    (await sql`select account, month, clients from settled_month order by 1, 2`).map((row) =>
      Object.values(row),
    )
  const [january, february] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
  expect(await totals()).toEqual(expected)
  expect(await months()).toEqual([
    [2, january, 3],
    [3, january, 4],
    [3, february, 5],
    [5, january, 3],
  ])
  await sql`select settle_counts(10)`
  expect(await totals()).toEqual(expected)
  expect(await months()).toEqual([
    [2, january, 3],
    [2, february, 1],
    [3, january, 4],
    [3, february, 5],
    [5, january, 3],
    [5, february, 1],
  ])
})

test('every table that a version makes is known by its name, by which backups tell it from those of others', async () => {
  const released = originOf(RELEASED['0.2.0'])
  if (!released) throw new Error('the tables of 0.2.0 cannot be made')
  const all = { ...released, steps: RELEASE.steps }
  for (const make of [
    (sql: Sql) => makeSchema(sql, BEFORE_020),
    (sql: Sql) => makeTablesOf(sql, all, RELEASE),
  ]) {
    const one = await freshDatabase({ migrated: false })
    made.push(one)
    await begin(one.ownerSql, make)
    const tables = await one.ownerSql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ('setup', 'migration')`
    expect(tables.length).toBeGreaterThan(0)
    expect(tables.filter(({ name }) => !KNOWN_TABLES.has(name))).toEqual([])
  }
})

test('a corrected comment makes no other schema of a database, and a changed statement does', () => {
  const fingerprint = (edit: (text: string) => string) =>
    fingerprintOf(
      PRESENT.files.map(({ name, text }) => ({ name, checksum: checksumOfStatements(edit(text)) })),
    )
  const commented = (text: string) =>
    text.replaceAll(/^ *--.*\n/gm, '').replaceAll(/;\n/g, ';\n\n  -- Why.\n')
  expect(originOf(fingerprint(commented))).toEqual({ schema: PRESENT, steps: [] })
  for (const changed of ['name text', 'name  text']) {
    const edited = fingerprint((text) => text.replace('name text not null', `${changed} null`))
    expect(originOf(edited), changed).toBe(null)
  }
})

test('the files of the schema before 0.2.0 are byte for byte those that were released', () => {
  expect(BEFORE_020.fingerprint).toBe('d83b5ded8046f21a9fafc1e82d93507b67db25785c55e9c650cbbb5e4d34f066')
})

/** The schemas of released versions, by their fingerprints. A release adds its own. */
const RELEASED = { '0.2.0': '0696353f2238667d40e2b1d78f3fe8317e072acf964186cbdd1d2831ffef11bb' }

test.each(Object.entries(RELEASED))(
  'the tables of %s can still be made, so that its databases and backups are brought forward',
  (_version, fingerprint) => {
    // Where this fails, db/ has changed without a step and a copy of the released files:
    // docs/a-change-of-the-schema.md says how.
    expect(originOf(fingerprint)).not.toBeNull()
  },
)

describe('the tables that the main branch has made between two releases', () => {
  test('are known to later versions: those of this one are in the list too', () => {
    // Where this fails, db/ has changed: BETWEEN_RELEASES gets the fingerprint and the last step of the present tables.
    const isReleased = Object.values(RELEASED).includes(PRESENT.fingerprint)
    expect(isReleased || BETWEEN_RELEASES[PRESENT.fingerprint] === PRESENT.step).toBe(true)
  })

  test.each(Object.entries(BETWEEN_RELEASES))(
    'are those of the last release with its steps: %s',
    (fingerprint, step) => {
      const isPresent = fingerprint === PRESENT.fingerprint
      expect(ageOf({ fingerprint, step, needs: 0 }, RELEASE)).toBe(isPresent ? 'present' : 'older')
      for (const name of isPresent ? [] : [fingerprint, `${fingerprint}+${step}`])
        expect(originOf(name)).toMatchObject({ schema: { step: 0 }, steps: RELEASE.steps.slice(0, step) })
    },
  )

  test('have steps that never change', () => {
    // A new step adds its digest. Where another one differs, its text must come back: there are databases that it was
    // applied to, and a mistake is mended by a further step.
    const digests = RELEASE.steps.map(({ text }) =>
      createHash('sha256').update(text).digest('hex').slice(0, 8),
    )
    expect(digests).toEqual([
      '0e5d7a40',
      '0123c3b1',
      '28abfc96',
      'ced997be',
      '01d47353',
      '2e3cd0ea',
      '3f5ba5af',
      'c52f11e1',
      'b350ef1d',
      'ad834f58',
      'ecea526a',
      'e876bd08',
      'b81b35aa',
      '0639d9fb',
      '85e7f7e4',
      '87424185',
      '71711f09',
      '7dcac379',
      '2da6c90c',
      '68bd9573',
      '60c12fb1',
      '8b7831f9',
      '8bbc508b',
      '76c4980c',
      'fe0bd3a5',
      'f48f3764',
      'e942fff7',
      '4d877928',
      '9b529592',
      'd54a5ffb',
      '1a573717',
      '461d2df4',
      '710d8add',
      '7dbb096b',
      '76722565',
      '9a7ef3cc',
    ])
  })

  test('are brought forward to what this version makes anew', async () => {
    const fresh = await database()
    const [, fingerprint] = Object.keys(BETWEEN_RELEASES)
    const older = originOf(fingerprint ?? '')
    if (!older) throw new Error('these tables cannot be made')
    const forward = await database(async (sql) => {
      await makeTablesOf(sql, older, RELEASE)
      await sql`update setup set value = ${fingerprint ?? ''} where key = 'schema'`
    })
    for (const [kind, ask] of Object.entries(CATALOG))
      expect(linesOf(await ask(forward)), kind).toEqual(linesOf(await ask(fresh)))
    const noted = (sql: Sql) => sql`select key, value from setup order by key`
    expect(await noted(forward)).toEqual(await noted(fresh))
  })
})

test('what clients and accounts that went before have left is erased', async () => {
  const [fingerprint = ''] = Object.entries(BETWEEN_RELEASES).find(([, step]) => step === 31) ?? []
  const before = originOf(fingerprint)
  if (!before) throw new Error('these tables cannot be made')
  const sql = await database(async (sql) => {
    await makeTablesOf(sql, before, RELEASE)
    await sql`update setup set value = ${fingerprint} where key = 'schema'`
    await sql`
      insert into account (name, role, password, settings, created) values ('admin', 'admin', 'kept', '{}', now())`
    await sql`
      insert into account (name, role, parent, password, settings, created)
      select 'north', 'superreseller', id, 'kept', '{}', now() from account`
    await sql`
      insert into account (name, role, parent, superreseller, password, settings, created)
      select 'east', 'reseller', id, id, 'kept', '{}', now() from account where name = 'north'`
    await sql`
      insert into account (name, role, parent, superreseller, reseller, password, settings, created, closed)
      select login, 'dealer', id, superreseller, id, 'kept', '{}', now(), closing
      from account, (values ('open', null), ('closed', now())) of (login, closing) where name = 'east'`
    await sql`
      insert into client (dealer, name, password, mac, ministra, phone, description, package_selection, created, deleted)
      select id, login, 'sealed', mac, false, '912345678', 'Hall', 1, now(), deleting
      from account, (values ('lives', '00:1A:79:00:00:01', null), ('is-gone', '00:1A:79:00:00:02', now()))
        of (login, mac, deleting) where name = 'open'`
    await sql`insert into favourite (client, channels) select id, '{1}' from client`
  })
  expect(await sql`select name, password from account where role = 'dealer' order by name`).toEqual([
    { name: 'closed', password: '' },
    { name: 'open', password: 'kept' },
  ])
  expect(
    await sql`
      select name, phone, description, channels from client left join favourite on client = client.id order by name`,
  ).toEqual([
    { name: 'is-gone', phone: '', description: '', channels: null },
    { name: 'lives', phone: '912345678', description: 'Hall', channels: [1] },
  ])
})

test('every constraint is named after its table and its kind', async () => {
  const sql = await database()
  const strays = await sql`
    select conname from pg_constraint join pg_class on pg_class.oid = conrelid
    where connamespace = 'public'::regnamespace and contype <> 'n' and conname !~ ('^' || relname || '_(\\w+_)?' ||
      case contype when 'p' then 'pkey' when 'u' then 'key' when 'f' then 'fk' when 'c' then 'check' end || '$')`
  expect(strays).toEqual([])
})

test('every SQL file in db/ is used', () => {
  const files = readdirSync(join(import.meta.dirname, '../../db')).filter((name) => name.endsWith('.sql'))
  const read = [...PRESENT.files.map(({ name }) => name), 'from-before-0.2.0.sql', 'grants.sql']
  expect(files.sort()).toEqual(read.sort())
})

function linesOf(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

/** All that a schema is, by what the database keeps of it. Columns go by their names, because some came later. */
const CATALOG: Record<string, (sql: Sql) => PromiseLike<readonly object[]>> = {
  relations: (sql) => sql`
    select relname, relkind, relpersistence, reloptions, relacl::text, relrowsecurity, relreplident
    from pg_class where relnamespace = 'public'::regnamespace`,
  columns: (sql) => sql`
    select attrelid::regclass::text as relation, attname, format_type(atttypid, atttypmod) as type, attnotnull,
      attidentity, attgenerated, attstattarget, attstorage, attcompression, attacl::text, attcollation::regcollation::text,
      pg_get_expr(adbin, adrelid) as default
    from pg_attribute join pg_class on pg_class.oid = attrelid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped`,
  constraints: (sql) => sql`
    select conrelid::regclass::text as relation, conname, pg_get_constraintdef(oid) as definition, convalidated,
      to_jsonb(pg_constraint) ->> 'conenforced' as enforced
    from pg_constraint where connamespace = 'public'::regnamespace`,
  indexes: (sql) => sql`
    select indexrelid::regclass::text as index, pg_get_indexdef(indexrelid) as definition, indisvalid
    from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = 'public'::regnamespace`,
  functions: (sql) => sql`
    select proname, pg_get_functiondef(oid) as definition, proacl::text from pg_proc
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
  views: (sql) => sql`
    select viewname, definition from pg_views where schemaname = 'public'`,
  triggers: (sql) => sql`
    select tgrelid::regclass::text as relation, tgname, pg_get_triggerdef(oid) as definition, tgenabled
    from pg_trigger where not tgisinternal`,
  sequences: (sql) => sql`
    select sequencename, data_type::text, start_value, increment_by, cycle, cache_size
    from pg_sequences where schemaname = 'public'`,
  extensions: (sql) => sql`select extname, extversion from pg_extension`,
  rest: (sql) => sql`
    select 'statistics' as kind, count(*) from pg_statistic_ext
    union all select 'types', count(*) from pg_type where typnamespace = 'public'::regnamespace
    union all select 'policies', count(*) from pg_policy
    union all select 'rules', count(*) from pg_rewrite join pg_class on pg_class.oid = ev_class
      where relnamespace = 'public'::regnamespace`,
}
