import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { begin } from './begin.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** Every right to a table that this version of PostgreSQL knows. */
async function privileges(): Promise<string[]> {
  const [row] = await database.sql<{ version: number }[]>`
    select current_setting('server_version_num')::int / 10000 as version`
  const rights = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']
  return (row?.version ?? 0) >= 17 ? [...rights, 'maintain'] : rights
}

describe("the console's role", () => {
  test('may write only what it needs, and may read everything', async () => {
    const rights = await database.sql<{ name: string; rights: string[] }[]>`
      select relname as name, array_agg(word order by word) as rights
      from pg_class, unnest(${await privileges()}::text[]) word
      where relnamespace = 'public'::regnamespace and relkind = 'r' and has_table_privilege(pg_class.oid, word)
      group by relname order by relname`
    const more = rights
      .map(({ name, rights }) => [name, rights.filter((right) => right !== 'select').join()])
      .filter(([, rights]) => rights !== '')
    expect(Object.fromEntries(more)).toEqual({
      idempotency_key: 'insert',
      box_count: 'insert',
      branch_day: 'insert',
      broadcast: 'insert',
      busy_day: 'insert',
      captcha_used: 'insert',
      device: 'insert',
      export_ticket: 'insert',
      finished_month: 'insert',
      installation: 'insert',
      login_try: 'insert',
      presence: 'insert',
      statistic: 'insert',
    })
    expect(rights.every(({ rights }) => rights.includes('select'))).toBe(true)
  })

  test.each([
    ['account', 'insert', 'closed, id, low_by_parent, low_own, parent_role, preferences'],
    ['account', 'update', 'created, id, name, parent, parent_role, reseller, role, superreseller'],
    ['audit', 'insert', 'at, id'],
    ['client', 'insert', 'dealer_role, deleted, id, locked'],
    ['client', 'update', 'created, dealer, dealer_role, id, name'],
    ['box_event', 'insert', 'confirmed, id, told'],
    ['box_event', 'update', 'actor, client, created, event, expiry, id, message'],
    ['box_login', 'insert', 'id, refusal, succeeded, token_nonce'],
    ['box_login', 'update', 'id, mac, tried'],
    ['device', 'update', 'client, first_seen'],
    ['channel', 'insert', 'id'],
    ['channel', 'update', 'id, key'],
    ['channel_group', 'insert', 'id'],
    ['channel_group', 'update', 'id, name'],
    ['lineup', 'insert', 'alt_player, player, revision'],
    ['lineup', 'update', 'only_one'],
    [
      'playlist',
      'insert',
      'channels, content, failure, held, held_at, held_channels, held_content, held_groups, held_skipped, only_one, skipped, taken',
    ],
    ['playlist', 'update', 'only_one'],
    ['device_history', 'insert', 'id'],
    ['favourite', 'update', 'client'],
    ['idempotency_key', 'update', 'account, call, key'],
    ['job', 'insert', 'ended'],
    ['job', 'update', 'name'],
    ['login_try', 'update', 'address, id, name, tried'],
    ['mac_trial', 'insert', 'created'],
    ['presence', 'update', 'client'],
    ['reminder', 'update', 'client'],
    ['server_process', 'insert', 'seen'],
    ['server_process', 'update', 'box_port, console_port, host, id, node, pid, started, version'],
    ['service', 'update', 'client, dealer, name'],
    ['session', 'insert', 'id'],
    ['session', 'update', 'account, address, agent, expiry, id, token_hash'],
    ['sign_in', 'insert', 'id'],
    ['stream_use', 'update', 'client'],
    ['suspension', 'update', 'account, actor, created, id, reason, service_too'],
    ['transfer', 'insert', 'created, id'],
    ['unknown_box', 'update', 'first_asked, mac'],
  ])('may not write every column of %s in an %s: not %s', async (table, right, denied) => {
    const columns = await database.sql<{ column: string }[]>`
      select attname as column from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
        and not has_column_privilege(attrelid, attnum, ${right}) order by 1`
    expect(columns.map(({ column }) => column).join(', ')).toBe(denied)
  })

  test.each([
    "insert into audit (id, event, detail) overriding system value values (7, 'x', '{}')",
    "insert into audit (at, event, detail) values ('2001-01-01', 'x', '{}')",
    "insert into transfer (created, type) values ('2001-01-01', 'ADD')",
    "insert into transfer (id, type) overriding system value values (7, 'ADD')",
    "select setval('transfer_id_seq', 1)",
    "select nextval('audit_id_seq')",
    "insert into setup (key, value) values ('clock', 'played')",
    'lock table transfer in row exclusive mode',
    'lock table audit in row exclusive mode',
    'select from transfer for update',
  ])('may not choose an id or a date, nor keep others from the ledger: not %s', async (statement) => {
    await expect(begin(database.sql, (sql) => sql.unsafe(statement))).rejects.toMatchObject({ code: '42501' })
  })

  test('cannot choose the date of the rows that it appends', async () => {
    const before = Date.now()
    const at = await begin(database.sql, async (sql) => {
      await sql`select set_config('boxtree.moment', '2001-01-01T00:00:00Z', true)`
      const [row] = await sql<{ at: string }[]>`
        insert into audit (event, detail) values ('tried', '{}') returning at`
      return Date.parse(row?.at ?? '')
    })
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(Date.now())
  })

  test('cannot have anything forgotten before its time', async () => {
    const { sql } = database
    const hash = Buffer.alloc(32)
    await sql`insert into account (name, role, password, settings, created) values ('admin', 'admin', '', '{}', now())`
    await sql`insert into audit (event, address, detail) values ('tried', 'from here', '{}')`
    await sql`insert into sign_in (account, at, address, agent, outcome) select id, now(), '', '', 'failed' from account`
    await sql`insert into login_try (name, address, tried) values ('admin', '', now())`
    await sql`insert into box_login (mac, tried) values ('', now())`
    await sql`insert into captcha_used values (${hash}, now() + interval '1 minute')`
    await sql`
      insert into idempotency_key (account, call, key, body_hmac, reply, created)
      select id, 'clients.renew', 'once', ${hash}, '{}', now() from account`
    const tables = ['audit', 'sign_in', 'login_try', 'box_login', 'captcha_used', 'idempotency_key']
    const forgotten = await sql<{ name: string; rows: number }[]>`
      select name, remove_outdated(name, 'infinity', 1000) as rows from unnest(${tables}::text[]) name`
    expect(forgotten).toEqual(tables.map((name) => ({ name, rows: 0 })))
  })

  test('cannot lock a table against others', async () => {
    const tables = await database.sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`
    const lockable: string[] = []
    for (const { name } of tables) {
      const lock = begin(database.sql, (sql) => sql`lock table ${sql(name)} in share update exclusive mode`)
      await lock.then(
        () => lockable.push(name),
        (error) => expect(error).toMatchObject({ code: '42501' }),
      )
    }
    expect(lockable).toEqual([])
  })

  test('owns nothing, may create nothing, and is a member of no other role', async () => {
    const [row] = await database.sql`
      select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty,
        has_schema_privilege('public', 'create') as makes_tables,
        has_database_privilege(current_database(), 'create') as makes_schemas,
        has_database_privilege(current_database(), 'temporary') as makes_temporary_tables,
        exists (select from pg_class where relowner = pg_roles.oid) as owns,
        exists (select from pg_auth_members where member = pg_roles.oid) as belongs
      from pg_roles where rolname = current_user`
    expect(row).toEqual({
      mighty: false,
      makes_tables: false,
      makes_schemas: false,
      makes_temporary_tables: false,
      owns: false,
      belongs: false,
    })
  })

  test('may call its own functions, and none that writes the ledger', async () => {
    const functions = await database.sql<{ name: string }[]>`
      select proname as name from pg_proc
      where pronamespace = 'public'::regnamespace and has_function_privilege(oid, 'execute')
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
      order by 1`
    expect(functions.map(({ name }) => name)).toEqual([
      'claim_key',
      'count_box_models',
      'end_session',
      'end_session_of',
      'end_sessions',
      'end_sessions_beneath',
      'forget_days_ahead',
      'forget_device',
      'forget_empty_counts',
      'forget_reminder',
      'forget_servers',
      'hold_session',
      'is_suspended',
      'letter_pairs',
      'lock_free_holdings',
      'lock_holdings',
      'models_of_boxes',
      'moment',
      'move_account',
      'move_clients',
      'network_of',
      'redeem_ticket',
      'remove_broadcast',
      'remove_outdated',
      'remove_tickets',
      'search_text',
      'settle_counts',
      'withdraw_try',
    ])
  })
})

test.each([
  [
    'a reseller beneath no superreseller',
    `insert into account (name, role, parent, password, settings, created)
      select 'nobodys', 'reseller', id, '', '{}', now() from account where role = 'superreseller'`,
  ],
  [
    'a dealer beneath no reseller',
    `insert into account (name, role, parent, superreseller, password, settings, created)
      select 'nobodys', 'dealer', id, superreseller, '', '{}', now() from account where role = 'reseller'`,
  ],
  [
    'a request that is granted without credits',
    `insert into credit_request (account, credits, note, created, state, answered)
      select id, 1, '', now(), 'granted', now() from account where role = 'dealer'`,
  ],
  [
    'a playlist that is held back for no reason',
    `insert into playlist (shown, given, tried, held_at, held_content, held_channels, held_skipped, held_groups)
      values ('', now(), now(), now(), '', 1, 0, '[]')`,
  ],
])('the tables hold no row that is only half of itself: not %s', async (_what, statement) => {
  const own = await freshDatabase()
  try {
    await own.sql`insert into account (name, role, password, settings, created) values ('admin', 'admin', '', '{}', now())`
    await own.sql`
      insert into account (name, role, parent, password, settings, created)
      select 'one', 'superreseller', id, '', '{}', now() from account where role = 'admin'`
    await own.sql`
      insert into account (name, role, parent, superreseller, password, settings, created)
      select 'two', 'reseller', id, id, '', '{}', now() from account where role = 'superreseller'`
    await own.sql`
      insert into account (name, role, parent, superreseller, reseller, password, settings, created)
      select 'three', 'dealer', id, superreseller, id, '', '{}', now() from account where role = 'reseller'`
    await expect(begin(own.ownerSql, (sql) => sql.unsafe(statement))).rejects.toMatchObject({ code: '23514' })
  } finally {
    await own.drop()
  }
})
