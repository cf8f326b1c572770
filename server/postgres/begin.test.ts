import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { begin, change, sendAhead } from './begin.ts'
import { openPool, type Sql } from './pool.ts'
import { withTimeout } from './timeout.ts'

let database: FreshDatabase
let sql: Sql

beforeAll(async () => {
  database = await freshDatabase({ migrated: false })
  sql = openPool(database.owner, { max: 3 })
  await sql`create table note (id int primary key)`
})

afterAll(async () => {
  await sql.end({ timeout: 5 })
  await database.drop()
})

describe('a transaction', () => {
  test('returns what its work returns, also a list', async () => {
    expect(await begin(sql, async () => [Promise.resolve(1)].length)).toBe(1)
    expect(await begin(sql, async (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  test('throws if a statement failed, even if its work catches the error', async () => {
    const work = begin(sql, async (sql) => {
      await sql`insert into note values (1)`
      await sql`select 1 / 0`.catch(() => {})
      return 'done'
    })
    await expect(work).rejects.toThrow()
    expect(await ids()).toEqual([])
  })

  test.each([
    ['noticed at the end', async () => 'done'],
    ['noticed by the next statement', async (sql: Sql) => sql`select 1`],
  ])('throws the error of a statement that was sent without waiting: %s', async (_when, next) => {
    const work = begin(sql, async (sql) => {
      await sendAhead(sql, sql`insert into note values (4)`)
      await sendAhead(sql, sql`select 1 / 0`)
      return next(sql)
    })
    await expect(work).rejects.toThrow('division by zero')
    expect(await ids()).toEqual([])
  })

  test('runs statements that were sent without waiting in their order', async () => {
    await begin(sql, async (sql) => {
      await sendAhead(sql, sql`insert into note values (5)`)
      await sendAhead(sql, sql`update note set id = 6 where id = 5`)
    })
    expect(await ids()).toEqual([{ id: 6 }])
    await sendAhead(sql, sql`delete from note`)
    expect(await ids()).toEqual([])
  })

  test('that is read-only refuses a change', async () => {
    const work = begin(sql, (sql) => sql`insert into note values (7)`, 'read only')
    await expect(work).rejects.toMatchObject({ code: '25006' })
    expect(await ids()).toEqual([])
  })

  test('throws if a constraint fails at the COMMIT', async () => {
    await sql`create table pair (id int primary key, other int references pair deferrable initially deferred)`
    await expect(begin(sql, (sql) => sql`insert into pair values (1, 2)`)).rejects.toThrow('foreign key')
  })

  test.each([0, 200])(
    'runs no further statement %i ms after it lost its connection',
    async (milliseconds) => {
      const work = begin(sql, async (transaction) => {
        await transaction`insert into note values (2)`
        const [row] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`
        await sql`select pg_terminate_backend(${row?.pid ?? 0})`
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        await transaction`insert into note values (3)`
      })
      await expect(work).rejects.toThrow()
      expect(await ids()).toEqual([])
      const all = Array.from({ length: 9 }, (_, one) => begin(sql, (sql) => sql`select ${one}::int as one`))
      expect((await Promise.all(all)).flat()).toHaveLength(9)
    },
  )

  test('that lost its connection commits nothing of the next transaction on it', async () => {
    const narrow = openPool(database.owner, { max: 1 })
    let end = () => {}
    const lost = begin(narrow, async (transaction) => {
      const [row] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`
      await sql`select pg_terminate_backend(${row?.pid ?? 0})`
      // Its last work needs no database, as when a slow reader downloads a file.
      await new Promise<void>((resolve) => {
        end = resolve
      })
    })
    await expect(lost).rejects.toThrow()
    const next = begin(narrow, async (transaction) => {
      await transaction`insert into note values (7)`
      end()
      await new Promise((resolve) => setTimeout(resolve, 200))
      throw new Error('changed my mind')
    })
    await expect(next).rejects.toThrow('changed my mind')
    await narrow.end()
    expect(await ids()).toEqual([])
  })

  test('never begins if its caller gave up while it waited for a connection', {
    timeout: 60_000,
  }, async () => {
    const busy = openPool(database.owner, { max: 1 })
    let release = () => {}
    const held = begin(busy, () => new Promise<void>((resolve) => (release = resolve)))
    const late = begin(busy, (sql) => sql`insert into note values (4)`)
    await expect(late).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    release()
    await held
    await busy.end()
    expect(await ids()).toEqual([])
  })

  test('whose COMMIT hangs keeps its turn, so that those who look find a connection', {
    timeout: 60_000,
  }, async () => {
    await sql`create table slow (id int)`
    await sql`
      create function wait() returns trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(1); return null; end'`
    await sql`
      create constraint trigger slow after insert on slow deferrable initially deferred
      for each row execute function wait()`
    const gate = openPool(database.owner, { max: 1 })
    const pool = openPool(database.owner, { max: 3, changes: 2, isLong: true })
    await gate`select pg_advisory_lock(1)`
    const insert = (sql: Sql) => sql`insert into slow values (1)`
    const changes = [begin(pool, insert), ...[1, 2].map(() => change(pool, () => insert(pool)))]
    for (const outcome of await Promise.allSettled(changes))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEDOUT' } })
    expect(await withTimeout(pool, async () => pool`select 1 as one`)).toEqual([{ one: 1 }])
    await begin(pool, (sql) => sql`insert into note values (8)`, 'may be lost')
    await gate`select pg_advisory_unlock(1)`
    await begin(pool, (sql) => sql`delete from note`)
    await Promise.all([gate.end(), pool.end()])
    // The third never began.
    expect(await sql`select id from slow`).toHaveLength(2)
  })

  test('accepts no statement after it has ended', async () => {
    let kept = sql
    await begin(sql, async (transaction) => {
      kept = transaction
    })
    expect(() => kept`select 1`).toThrow('is over')
  })

  async function ids() {
    return begin(sql, async (sql) => [...(await sql`select id from note`)])
  }
})

test('a pool tells of each connection that it makes', async () => {
  let count = 0
  const pool = openPool(database.owner, {
    max: 3,
    onOpen: () => {
      count += 1
    },
  })
  await Promise.all([1, 2, 3].map(() => pool`select pg_sleep(0.1)`))
  await pool.end()
  expect(count).toBe(3)
})

describe('the values of a statement', () => {
  test('arrive as whole numbers, moments and days', async () => {
    const [row] = await sql`
      select 9007199254740991 as most, sum(n) as sum, timestamptz '2026-11-21 09:30:00.5+02' as moment,
        date '2026-11-21' as day, array[1::bigint, 2] as list, '{"a": 1}'::jsonb as json
      from generate_series(1::bigint, 3) n`
    expect(row).toEqual({
      most: Number.MAX_SAFE_INTEGER,
      sum: 6,
      moment: '2026-11-21T07:30:00.500Z',
      day: '2026-11-21',
      list: [1, 2],
      json: { a: 1 },
    })
  })

  test('may be moments as a Date or as ISO text', async () => {
    const moment = '2026-11-21T07:30:00.500Z'
    const [row] = await sql`
      select ${new Date(moment)}::timestamptz as a, ${moment}::timestamptz as b, ${'2026-11-21'}::date as c`
    expect(row).toEqual({ a: moment, b: moment, c: '2026-11-21' })
  })

  test('may be lists, whatever their items contain', async () => {
    const texts = ['', 'NULL', null, 'a, b', '{c}', '"d" \\e', "f'"]
    const moments = ['2026-11-21T07:30:00.500Z']
    const [row] = await sql`
      select ${texts}::text[] as texts, ${[1, -2]}::bigint[] as wholes, ${[3]}::int[] as integers,
        ${moments}::timestamptz[] as moments, ${['2026-11-21']}::date[] as days, ${[]}::text[] as none`
    const days = ['2026-11-21']
    expect(row).toEqual({ texts, wholes: [1, -2], integers: [3], moments, days, none: [] })
  })

  test('are refused where a JavaScript number cannot hold them exactly', async () => {
    await expect(sql`select 9007199254740993 as big`).rejects.toThrow('within 2^53')
    await expect(sql`select 1.5::numeric as part`).rejects.toThrow('whole number')
  })
})
