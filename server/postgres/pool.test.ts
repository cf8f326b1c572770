import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { begin } from './begin.ts'
import { openPool } from './pool.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase({ migrated: false })
})
afterAll(() => database.drop())

test('what runs without time limits has none, also where its role has some', async () => {
  const { ownerSql, owner } = database
  const [row] = await ownerSql<{ name: string }[]>`select current_database() as name`
  const name = ownerSql(row?.name ?? '')
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await ownerSql`alter role boxtree_owner in database ${name} set ${ownerSql(limit)} = '50ms'`
  const sql = openPool(owner, { max: 1, noTimeouts: true })
  try {
    await begin(sql, async (sql) => {
      await sql`select pg_sleep(0.2)`
      await pause(200)
      expect(await sql`select current_setting('lock_timeout') as lock`).toEqual([{ lock: '0' }])
    })
  } finally {
    await sql.end({ timeout: 1 })
  }
})
