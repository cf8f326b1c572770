import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addMonths, dayOf, endOf } from '../../server/ledger/calendar.ts'
import { begin } from '../../server/postgres/begin.ts'
import type { Sql } from '../../server/postgres/pool.ts'
import { RULES } from '../../server/verify/rows.ts'
import { type Family, suiteWorld } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

// The ledger has no foreign keys: a trigger checks what they would, and more. These laws hold it to what `verify` says
// of each row, with rows that an attacker would insert who has the rights of the server.

const world = await suiteWorld()
const places = await placesOf([await world.family({ credits: 9 }), await world.family({ credits: 9 })])

/** A row as it is inserted: the columns that the server may write. */
type Row = Record<string, string | number | null>

/** What a row may name, right or wrong. */
type Places = { rows: Row[]; holdings: number[]; accounts: number[]; clients: number[] }

const MISSING = 999_999

async function placesOf(families: readonly Family[]): Promise<Places> {
  const { sql } = world.server
  const rows: Row[] = []
  for (const { superreseller, reseller, dealer } of families) {
    const { name } = await world.client(dealer, { months: 1 })
    const [client] = await sql<{ id: number; expiry: string }[]>`
      select client as id, expiry from service where name = ${name}`
    const { id = 0, expiry = '' } = client ?? {}
    const counted = dayOf(expiry, 'UTC')
    const path = { superreseller: superreseller.id, reseller: reseller.id, dealer: dealer.id }
    const of = { ...path, client: id, login: name, description: '', actor: dealer.id }
    const [own, up] = await Promise.all([holdingsOf(dealer.id), holdingsOf(reseller.id)])
    const removed = { ...path, login: dealer.name, description: '', actor: reseller.id, credits: 1 }
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

/** States the balances that a row leads to. */
async function stated(sql: Sql, row: Row): Promise<Row> {
  const found = await sql<{ id: number; balance: number }[]>`select id, balance from holding`
  const of = (holding: unknown) => found.find(({ id }) => id === holding)?.balance ?? 0
  if (row.source === undefined || row.source === null) return row
  const credits = Number(row.credits)
  return {
    ...row,
    source_balance: of(row.source) - credits,
    destination_balance: of(row.destination) + credits,
  }
}

/** Inserts a row, says whether it was accepted and what `verify` says of it then, and rolls back. */
async function insert(row: Row): Promise<{ accepted: boolean; faults: unknown[] }> {
  const outcome = { accepted: false, faults: [] as unknown[] }
  const rolledBack = new Error('rolled back')
  await begin(world.server.sql, async (sql) => {
    await sql`insert into transfer ${sql(await stated(sql, row))}`
    outcome.accepted = true
    const [rowsByThemselves, holdings] = RULES
    for (const law of [rowsByThemselves, holdings]) if (law) outcome.faults.push(...(await law(sql)))
    throw rolledBack
  }).catch((error: unknown) => {
    if (outcome.accepted && error !== rolledBack) throw error
  })
  return outcome
}

/** The columns that a row may get wrong, and what it may say there. The actor is right or missing. */
const wrong = () =>
  fc.oneof(
    fc.record({ column: fc.constantFrom('source', 'destination'), value: any(places.holdings) }),
    fc.record({
      column: fc.constantFrom('superreseller', 'reseller', 'dealer'),
      value: any(places.accounts),
    }),
    fc.record({ column: fc.constant('client'), value: any(places.clients) }),
    fc.record({ column: fc.constant('actor'), value: fc.constant(MISSING) }),
    fc.record({
      column: fc.constant('type'),
      value: fc.constantFrom('ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE'),
    }),
    fc.record({ column: fc.constant('credits'), value: fc.constantFrom(-1, 0, 1, 1_000) }),
  )

function any(ids: readonly number[]): fc.Arbitrary<number | null> {
  return fc.constantFrom(...ids, MISSING, null)
}

test('the database accepts each right row', async () => {
  for (const row of places.rows) expect(await insert(row)).toEqual({ accepted: true, faults: [] })
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
