import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addMonths, dayOf, endOf } from '../../server/ledger/calendar.ts'
import { begin } from '../../server/postgres/begin.ts'
import type { Sql } from '../../server/postgres/pool.ts'
import { RULES } from '../../server/verify/rows.ts'
import { type Family, type Person, suiteWorld } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

// The ledger has no foreign keys: a trigger checks what they would, and more. These laws hold it to what `verify` says
// of each row, with rows that an attacker would insert who has the rights of the server.

const world = await suiteWorld()
const places = await placesOf(
  [await world.family({ credits: 9 }), await world.family({ credits: 9 })],
  await movesOf(await world.family({ credits: 9, to: 'reseller' })),
)

/** A row as it is inserted: the columns that the server may write. */
type Row = Record<string, string | number | null>

/** What a row may name, right or wrong. */
type Places = { rows: Row[]; holdings: number[]; accounts: number[]; clients: number[] }

const MISSING = 999_999

/** Returns the rows with which a client moves between two dealers of a reseller, with a month and without any. */
async function movesOf({ superreseller, reseller }: Family): Promise<Row[]> {
  const [from, to] = [await world.child(reseller, 2), await world.child(reseller, 2)]
  await world.client(from, { months: 1 })
  const { id, name, expiry } = await clientOf(to)
  const row = {
    type: 'MOVE',
    superreseller: superreseller.id,
    reseller: reseller.id,
    dealer: to.id,
    from_superreseller: superreseller.id,
    from_reseller: reseller.id,
    from_dealer: from.id,
    client: id,
    login: name,
    description: '',
    expiry,
    actor: reseller.id,
  }
  const [source, destination] = [await holdingsOf(from.id), await holdingsOf(to.id)]
  return [
    { ...row, credits: 1, source: source.consumed, destination: destination.consumed },
    { ...row, credits: 0 },
  ]
}

/** Gives a dealer a client with a month. */
async function clientOf(dealer: Person): Promise<{ id: number; name: string; expiry: string }> {
  const { name } = await world.client(dealer, { months: 1 })
  const [client] = await world.server.sql<{ id: number; expiry: string }[]>`
    select client as id, expiry from service where name = ${name}`
  if (!client) throw new Error(`${name} is not there`)
  return { name, ...client }
}

async function placesOf(families: readonly Family[], moves: readonly Row[]): Promise<Places> {
  const { sql } = world.server
  const [issue] = await sql<{ id: number }[]>`select id from holding where kind = 'issue'`
  const rows: Row[] = [...moves]
  for (const { superreseller, reseller, dealer } of families) {
    const { id, name, expiry } = await clientOf(dealer)
    const counted = dayOf(expiry, 'UTC')
    const path = { superreseller: superreseller.id, reseller: reseller.id, dealer: dealer.id }
    const of = { ...path, client: id, login: name, description: '', actor: dealer.id }
    const [own, up, top] = await Promise.all(
      [dealer, reseller, superreseller].map(({ id }) => holdingsOf(id)),
    )
    if (!own || !up || !top || !issue) throw new Error('a holding is missing')
    await world.give(world.admin, superreseller, 2)
    const removed = { ...path, login: dealer.name, description: '', actor: reseller.id, credits: 1 }
    const added = {
      type: 'ADD',
      superreseller: superreseller.id,
      dealer: null,
      description: '',
      credits: 1,
    }
    rows.push(
      {
        ...of,
        type: 'USED',
        credits: 1,
        source: own.balance,
        destination: own.consumed,
        expiry: endOf(addMonths(counted, 1), 'UTC'),
        expiry_before: expiry,
        counted_from: counted,
      },
      { ...of, type: 'RETRIEVED', credits: 1, source: own.consumed, destination: own.balance, expiry },
      { ...of, type: 'TRIAL', credits: 0, expiry },
      { ...removed, type: 'REMOVE', source: own.balance, destination: up.balance },
      {
        ...added,
        reseller: reseller.id,
        login: reseller.name,
        actor: superreseller.id,
        source: top.balance,
        destination: up.balance,
      },
      {
        ...added,
        reseller: null,
        login: superreseller.name,
        actor: world.admin.id,
        source: issue.id,
        destination: top.balance,
      },
    )
  }
  const ids = async (table: string) =>
    (await sql<{ id: number }[]>`select id from ${sql(table)} order by id`).map(({ id }) => id)
  return {
    rows,
    holdings: await ids('holding'),
    accounts: await ids('account'),
    clients: await ids('client'),
  }
}

async function holdingsOf(account: number): Promise<{ balance: number; consumed: number | null }> {
  const [found] = await world.server.sql<{ balance: number; consumed: number | null }[]>`
    select min(id) filter (where kind = 'balance') as balance, min(id) filter (where kind = 'consumed') as consumed
    from holding where account = ${account}`
  return found ?? { balance: MISSING, consumed: null }
}

/** States the balances to which rows lead, one after the other. */
async function stated(sql: Sql, rows: readonly Row[]): Promise<Row[]> {
  const found = await sql<{ id: number; balance: number }[]>`select id, balance from holding`
  const balances = new Map<unknown, number>(found.map(({ id, balance }) => [id, balance]))
  return rows.map((row) => {
    const { source, destination } = row
    if (source === undefined || source === null) return { ...NO_MOVEMENT, ...row }
    const credits = Number(row.credits)
    balances.set(source, (balances.get(source) ?? 0) - credits)
    balances.set(destination, (balances.get(destination) ?? 0) + credits)
    return {
      ...NO_MOVEMENT,
      ...row,
      source_balance: balances.get(source) as number,
      destination_balance: balances.get(destination) as number,
    }
  })
}

/** What the rows of one statement all have to name. */
const NO_MOVEMENT = {
  from_superreseller: null,
  from_reseller: null,
  from_dealer: null,
  client: null,
  source: null,
  destination: null,
  source_balance: null,
  destination_balance: null,
  expiry: null,
  expiry_before: null,
  counted_from: null,
}

/** Inserts rows in one statement, says whether they were accepted and what `verify` says then, and rolls back. */
async function insert(...rows: Row[]): Promise<{ accepted: boolean; faults: unknown[] }> {
  const outcome = { accepted: false, faults: [] as unknown[] }
  const rolledBack = new Error('rolled back')
  await begin(world.server.sql, async (sql) => {
    await sql`insert into transfer ${sql(await stated(sql, rows))}`
    outcome.accepted = true
    const [rowsByThemselves, holdings] = RULES
    for (const law of [rowsByThemselves, holdings]) if (law) outcome.faults.push(...(await law(sql)))
    outcome.faults.push(...(await servedOtherwise(sql)))
    throw rolledBack
  }).catch((error: unknown) => {
    if (outcome.accepted && error !== rolledBack) throw error
  })
  return outcome
}

/** Returns the clients that are served until another moment than their newest purchase or retrieval says. */
function servedOtherwise(sql: Sql): Promise<readonly object[]> {
  return sql<object[]>`
    select s.client, s.expiry, newest.expiry as said from service s cross join lateral (
      select t.expiry from transfer t where t.client = s.client and t.type in ('USED', 'RETRIEVED')
      order by t.id desc limit 1
    ) newest where s.expiry <> newest.expiry`
}

const ON_PATH = ['superreseller', 'reseller', 'dealer', 'from_superreseller', 'from_reseller', 'from_dealer']

/** The columns that a row may get wrong, and what it may say there. The actor is right or missing. */
const wrong = () =>
  fc.oneof(
    fc.record({ column: fc.constantFrom('source', 'destination'), value: any(places.holdings) }),
    fc.record({ column: fc.constantFrom(...ON_PATH), value: any(places.accounts) }),
    fc.record({ column: fc.constant('client'), value: any(places.clients) }),
    fc.record({ column: fc.constant('actor'), value: fc.constant(MISSING) }),
    fc.record({
      column: fc.constant('type'),
      value: fc.constantFrom('ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE', 'MOVE'),
    }),
    fc.record({ column: fc.constant('credits'), value: fc.constantFrom(-1, 0, 1, 1_000) }),
  )

function any(ids: readonly number[]): fc.Arbitrary<number | null> {
  return fc.constantFrom(...ids, MISSING, null)
}

test('the database accepts each right row', async () => {
  for (const row of places.rows) expect(await insert(row)).toEqual({ accepted: true, faults: [] })
})

test('the database accepts no row that names one other account on its path', async () => {
  for (const row of places.rows)
    for (const column of ON_PATH)
      for (const account of [...places.accounts, MISSING, null])
        expect((await insert({ ...row, [column]: account })).faults, `${row.type} ${column}`).toEqual([])
})

test('the database accepts no row that verify would find wrong, whatever it names', async () => {
  const accepted = { right: 0, refused: 0 }
  const law = fc.asyncProperty(
    fc.constantFrom(...places.rows),
    fc.array(wrong(), { maxLength: 2 }),
    async (right, changes) => {
      const row = { ...right, ...Object.fromEntries(changes.map(({ column, value }) => [column, value])) }
      const outcome = await insert(row)
      expect(outcome.faults).toEqual([])
      accepted[outcome.accepted ? 'right' : 'refused'] += 1
    },
  )
  await fc.assert(law, { seed: seedOf('the law of the rows'), numRuns: runs(250, 4_000) })
  expect(Math.min(accepted.right, accepted.refused)).toBeGreaterThan(20)
})

test('the database accepts right rows of different dealers in one statement', async () => {
  const used = places.rows.filter(({ type }) => type === 'USED')
  expect(used).toHaveLength(2)
  expect(await insert(...used)).toEqual({ accepted: true, faults: [] })
})

test('of two purchases of one client in one statement, the client is served until what the newer one says', async () => {
  const [first] = places.rows.filter(({ type }) => type === 'USED')
  if (!first) throw new Error('no purchase is there')
  const counted = dayOf(String(first.expiry), 'UTC')
  const expiry = endOf(addMonths(counted, 1), 'UTC')
  const second = { ...first, counted_from: counted, expiry_before: first.expiry ?? null, expiry }
  expect(await insert(first, second)).toEqual({ accepted: true, faults: [] })
})

test('the database accepts no statement of several rows that verify would find wrong', async () => {
  const accepted = { right: 0, refused: 0 }
  const law = fc.asyncProperty(
    fc.array(fc.constantFrom(...places.rows), { minLength: 2, maxLength: 4 }),
    fc.option(fc.record({ at: fc.nat(), change: wrong() })),
    async (right, fault) => {
      const rows = right.map((row, at) =>
        fault && at === fault.at % right.length ? { ...row, [fault.change.column]: fault.change.value } : row,
      )
      const outcome = await insert(...rows)
      expect(outcome.faults).toEqual([])
      accepted[outcome.accepted ? 'right' : 'refused'] += 1
    },
  )
  await fc.assert(law, { seed: seedOf('the law of statements'), numRuns: runs(250, 4_000) })
  expect(Math.min(accepted.right, accepted.refused)).toBeGreaterThan(20)
})
