import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

describe("the console's role", () => {
  test('may write what it must, and may look at everything', async () => {
    const rights = await database.sql<{ name: string; rights: string[] }[]>`
      select relname as name, array_agg(word order by word) as rights
      from pg_class, unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger', 'maintain']) word
      where relnamespace = 'public'::regnamespace and relkind = 'r' and has_table_privilege(pg_class.oid, word)
      group by relname order by relname`
    const more = rights
      .map(({ name, rights }) => [name, rights.filter((right) => right !== 'select').join()])
      .filter(([, rights]) => rights !== '')
    expect(Object.fromEntries(more)).toEqual({
      account: 'insert',
      answer: 'delete,insert,update',
      audit: 'insert',
      broadcast: 'delete,insert,update',
      captcha_used: 'delete,insert,update',
      client: 'insert,update',
      device: 'delete,insert,update',
      export_ticket: 'delete,insert,update',
      installation: 'insert',
      login_try: 'delete,insert,update',
      mac_trial: 'insert',
      service: 'delete,insert',
      session: 'delete,insert,update',
      statistic: 'insert',
      transfer: 'insert',
    })
    expect(rights.every(({ rights }) => rights.includes('select'))).toBe(true)
  })

  test('may change single columns of what it may not change whole', async () => {
    const columns = await database.sql<{ column: string }[]>`
      select relname || '.' || attname as column
      from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and has_column_privilege(pg_class.oid, attnum, 'update') and not has_table_privilege(pg_class.oid, 'update')
      order by 1`
    expect(columns.map(({ column }) => column)).toEqual([
      'account.description',
      'account.password',
      'account.settings',
      'service.expiry',
    ])
  })

  test('owns nothing, makes nothing, and is nobody else', async () => {
    const [row] = await database.sql`
      select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty,
        has_schema_privilege('public', 'create') as makes_tables,
        has_database_privilege(current_database(), 'create') as makes_schemas,
        exists (select from pg_class where relowner = pg_roles.oid) as owns,
        exists (select from pg_auth_members where member = pg_roles.oid) as belongs
      from pg_roles where rolname = current_user`
    expect(row).toEqual({
      mighty: false,
      makes_tables: false,
      makes_schemas: false,
      owns: false,
      belongs: false,
    })
  })

  test('calls the functions that are for it, and none that writes the ledger', async () => {
    const functions = await database.sql<{ name: string }[]>`
      select proname as name from pg_proc
      where pronamespace = 'public'::regnamespace and has_function_privilege(oid, 'execute')
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
      order by 1`
    expect(functions.map(({ name }) => name)).toEqual(['forget_empty_counts', 'lock_holdings', 'search_text'])
  })
})
