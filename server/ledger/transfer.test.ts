import { describe, expect, test } from 'vitest'
import { proveTheBooks } from '../../test/support/books.ts'
import { suiteWorld } from '../../test/support/world.ts'
import { begin } from '../postgres/begin.ts'
import { fieldRefusal } from '../refusal.ts'
import { pathOf } from './path.ts'
import { note, transfer } from './transfer.ts'

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '50' } })
const family = await world.family({ credits: 10 })
const other = await world.child(family.reseller)
await world.child(world.admin)
const sql = world.server.sql

/** Returns the ids of the holdings of the dealer, of those above it, and of what another dealer has consumed. */
async function holdings() {
  const rows = await sql<
    { id: number; account: number; kind: string }[]
  >`select id, account, kind from holding`
  const find = (account: number, kind: string) => {
    const row = rows.find((one) => one.account === account && one.kind === kind)
    if (!row) throw new Error(`${account} has no ${kind}`)
    return row.id
  }
  return {
    superreseller: find(family.superreseller.id, 'balance'),
    reseller: find(family.reseller.id, 'balance'),
    dealer: find(family.dealer.id, 'balance'),
    consumed: find(family.dealer.id, 'consumed'),
    otherConsumed: find(other.id, 'consumed'),
    issue: find(world.admin.id, 'issue'),
  }
}

function facts() {
  const path = pathOf({
    id: family.dealer.id,
    role: 'dealer',
    superreseller: family.superreseller.id,
    reseller: family.reseller.id,
  })
  return { path, actor: family.reseller.id, login: 'somebody', description: '' }
}

describe('transfer()', () => {
  test('moves credits and returns both balances', async () => {
    const { reseller, dealer } = await holdings()
    const move = {
      type: 'REMOVE',
      source: dealer,
      destination: reseller,
      rows: [{ ...facts(), credits: 4 }],
    } as const
    expect(await begin(sql, (sql) => transfer(sql, move))).toEqual({ source: 6, destination: 4 })
    const back = { ...move, type: 'ADD', source: reseller, destination: dealer } as const
    expect(await begin(sql, (sql) => transfer(sql, back))).toEqual({ source: 0, destination: 10 })
    await proveTheBooks(sql)
  })

  test('refuses more than the source holds, with the sentence that the caller passed', async () => {
    const { reseller, dealer } = await holdings()
    const rows = [11, 1].map((credits) => ({ ...facts(), credits }))
    const move = { type: 'REMOVE', source: dealer, destination: reseller, rows } as const
    await expect(begin(sql, (sql) => transfer(sql, move))).rejects.toThrow(
      'You have 10 credits; this needs 12.',
    )
    const short = (has: number, needs: number) => `${has} of ${needs}.`
    await expect(begin(sql, (sql) => transfer(sql, { ...move, short }))).rejects.toThrow(
      fieldRefusal('insufficient_credits', 'credits', '10 of 12.'),
    )
  })

  test('lets the issue go below zero, and no other holding', async () => {
    const { issue } = await holdings()
    const [row] = await sql<{ balance: number }[]>`select balance from holding where id = ${issue}`
    expect(row?.balance).toBeLessThan(0)
  })

  test('needs two holdings that exist', async () => {
    const { dealer } = await holdings()
    for (const destination of [dealer, 999_999]) {
      const move = {
        type: 'REMOVE',
        source: dealer,
        destination,
        rows: [{ ...facts(), credits: 1 }],
      } as const
      await expect(begin(sql, (sql) => transfer(sql, move))).rejects.toThrow('a transfer needs two holdings')
    }
  })

  test('is undone when its transaction rolls back', async () => {
    const { reseller, dealer } = await holdings()
    const rows = Array.from({ length: 3 }, () => ({ ...facts(), credits: 1 }))
    const move = { type: 'REMOVE', source: dealer, destination: reseller, rows } as const
    const failing = begin(sql, async (sql) => {
      await transfer(sql, move)
      throw new Error('afterwards')
    })
    await expect(failing).rejects.toThrow('afterwards')
    await proveTheBooks(sql)
  })
})

/** Inserts a transfer directly, as an attacker with the server's database role would, instead of by transfer(). */
async function insert(row: object): Promise<unknown> {
  const { reseller, dealer } = await holdings()
  const right = {
    type: 'REMOVE',
    credits: 1,
    source: dealer,
    destination: reseller,
    source_balance: 9,
    destination_balance: 1,
    superreseller: family.superreseller.id,
    reseller: family.reseller.id,
    dealer: family.dealer.id,
    actor: family.reseller.id,
    login: 'somebody',
    description: '',
  }
  return sql`insert into transfer ${sql({ ...right, ...row })}`
}

describe('the database itself refuses', () => {
  test.each([
    ['a balance that is not so', { source_balance: 10 }, '23000'],
    ['another balance that is not so', { destination_balance: 2 }, '23000'],
    ['more than there is', { credits: 11, source_balance: -1, destination_balance: 11 }, '23514'],
    ['no credits', { credits: 0, source_balance: 10, destination_balance: 0 }, '23514'],
    ['fewer than none', { credits: -1, source_balance: 11, destination_balance: -1 }, '23514'],
    ['from nowhere', { source: null, source_balance: null }, '23514'],
    ['to nowhere', { destination: null, destination_balance: null }, '23514'],
    ['a trial that moves credits', { type: 'TRIAL' }, '23514'],
    ['a use without a client', { type: 'USED' }, '23514'],
    ['a type of its own', { type: 'GIFT' }, '23514'],
    ['a holding that is not there', { destination: 999_999 }, '23503'],
    ['an account that is not there', { actor: 999_999 }, '23503'],
    ['nobody who acted', { actor: null }, '23502'],
  ])('%s', async (_what, row, code) => {
    await expect(insert(row)).rejects.toMatchObject({ code })
    await proveTheBooks(sql)
  })

  type Holdings = Awaited<ReturnType<typeof holdings>>
  test.each<[string, string, keyof Holdings, keyof Holdings]>([
    ['credits added upwards', 'ADD', 'dealer', 'reseller'],
    ['credits added past a level', 'ADD', 'superreseller', 'dealer'],
    ['credits added by the issue to others than its children', 'ADD', 'issue', 'reseller'],
    ['credits added to what is consumed', 'ADD', 'reseller', 'consumed'],
    ['credits added out of what is consumed', 'ADD', 'consumed', 'dealer'],
    ['credits removed downwards', 'REMOVE', 'reseller', 'dealer'],
    ['credits removed past a level', 'REMOVE', 'dealer', 'superreseller'],
    ['credits removed to what is consumed', 'REMOVE', 'dealer', 'consumed'],
    ['credits used by a reseller', 'USED', 'reseller', 'consumed'],
    ["credits used into another dealer's consumed", 'USED', 'dealer', 'otherConsumed'],
    ['credits used into a balance', 'USED', 'dealer', 'reseller'],
    ['credits used backwards', 'USED', 'consumed', 'dealer'],
    ["credits retrieved from another dealer's consumed", 'RETRIEVED', 'otherConsumed', 'dealer'],
    ['credits retrieved to a reseller', 'RETRIEVED', 'consumed', 'reseller'],
    ['credits retrieved from a balance', 'RETRIEVED', 'reseller', 'dealer'],
  ])('%s', async (_what, type, source, destination) => {
    const of = await holdings()
    const { name } = await world.client(family.dealer, { months: 0 })
    const [client] = await sql<{ id: number; expiry: string }[]>`
      select client as id, expiry from service where name = ${name}`
    const isOfClient = type === 'USED' || type === 'RETRIEVED'
    await expect(
      insert({
        type,
        source: of[source],
        destination: of[destination],
        ...(isOfClient && { client: client?.id, expiry: client?.expiry }),
        ...(type === 'USED' && { expiry_before: client?.expiry, counted_from: '2026-05-15' }),
      }),
    ).rejects.toThrow('a transfer joins two holdings that none of its type does')
    await proveTheBooks(sql)
  })

  test('a transfer between accounts that names a client', async () => {
    const { name } = await world.client(family.dealer, { months: 0 })
    const [client] = await sql<{ id: number }[]>`select client as id from service where name = ${name}`
    await expect(insert({ client: client?.id })).rejects.toMatchObject({
      constraint_name: 'transfer_client_check',
    })
  })

  test('a transfer from a holding to itself', async () => {
    const { dealer } = await holdings()
    await expect(insert({ destination: dealer, destination_balance: 10 })).rejects.toMatchObject({
      code: '23514',
    })
  })

  test.each([
    'update transfer set credits = credits + 1',
    'update transfer set description = description',
    'delete from transfer',
    'truncate transfer',
  ])("a change to a row, to the console's role and to the owner of the tables: %s", async (statement) => {
    for (const pool of [sql, world.server.ownerSql]) {
      await expect(pool.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })

  test.each([
    'delete from account',
    'delete from client',
    'delete from holding',
    'truncate client cascade',
    'truncate account cascade',
  ])('a removal of what rows name, to the owner of the tables too: %s', async (statement) => {
    for (const pool of [sql, world.server.ownerSql]) {
      await expect(pool.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
    }
  })

  test.each([
    'update holding set balance = 1000',
    'delete from holding',
    "insert into holding (account, kind) values (1, 'balance')",
  ])("a holding that the console's role would write: %s", async (statement) => {
    await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test.each([
    ['a second admin', "role, parent, superreseller, reseller) select 'x-admin', 'admin', null, null, null"],
    [
      'a dealer of a superreseller',
      "role, parent, superreseller, reseller) select 'x-dealer', 'dealer', superreseller, superreseller, parent",
    ],
    [
      'a dealer on another path',
      "role, parent, superreseller, reseller) select 'x-dealer', 'dealer', parent, superreseller, id",
    ],
    [
      "a dealer whose superreseller is not its reseller's",
      "role, parent, superreseller, reseller) select 'x-dealer', 'dealer', parent, (select max(x.id) from account x where x.role = 'superreseller' and x.id <> account.superreseller), parent",
    ],
    [
      'a reseller of nobody',
      "role, parent, superreseller, reseller) select 'x-reseller', 'reseller', null, null, null",
    ],
  ])('an account out of its place in the tree: %s', async (_what, columns) => {
    const { id } = family.dealer
    const insertion = columns.replace(
      /role, (.*)\) select ('[\w-]+'), /,
      'name, role, $1, password, settings, created) select $2, ',
    )
    await expect(
      sql.unsafe(`insert into account (${insertion}, '', '{}', now() from account where id = ${id}`),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^23(503|505|514)$/),
    })
  })
})

test("moving a reseller to another superreseller changes its dealers' path too", async () => {
  const elsewhere = await world.child(world.admin)
  const { reseller } = await world.family()
  const dealers = [await world.child(reseller), await world.child(reseller)]
  await world.server.ownerSql`
    update account set parent = ${elsewhere.id}, superreseller = ${elsewhere.id} where id = ${reseller.id}`
  const paths = await sql<{ superreseller: number }[]>`
    select superreseller from account where id = any (${dealers.map(({ id }) => id)})`
  expect(paths).toEqual([{ superreseller: elsewhere.id }, { superreseller: elsewhere.id }])
})

test('a new account has its holdings: every account a balance, a dealer also what it has consumed', async () => {
  const rows = await sql<{ role: string; kinds: string[] }[]>`
    select distinct role, kinds from (
      select a.role, array_agg(h.kind order by h.kind) as kinds from account a join holding h on h.account = a.id
      group by a.id
    ) held order by role`
  expect(rows.map(({ role, kinds }) => [role, kinds])).toEqual([
    ['admin', ['issue']],
    ['dealer', ['balance', 'consumed']],
    ['reseller', ['balance']],
    ['superreseller', ['balance']],
  ])
})

test.each(['TRIAL', 'DELETE'] as const)('a %s row changes no balance', async (type) => {
  const { name } = await world.client(family.dealer, { months: 1 })
  const [client] = await sql<
    { id: number; expiry: string }[]
  >`select client as id, expiry from service where name = ${name}`
  const { id = 0, expiry = '' } = client ?? {}
  const { path, ...rest } = facts()
  await begin(sql, (sql) => note(sql, type, path, [{ ...rest, client: id, expiry }]))
  await proveTheBooks(sql)
})
