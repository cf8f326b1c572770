import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { begin } from '../../server/postgres/begin.ts'
import { runs, seedOf } from '../laws/runs.ts'
import { proveTheBooks } from '../support/books.ts'
import { type Moment, openPostgresProxy, type PostgresProxy } from '../support/postgres-proxy.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Family, newClient, openWorld, type Person, unique, type World } from '../support/world.ts'

/** The world's own server observes; a second server's connection to the database is cut again and again. */
let world: World
let proxy: PostgresProxy
let cuttable: TestServer
beforeAll(async () => {
  world = await openWorld()
  const { server, owner } = world.server.database
  proxy = await openPostgresProxy(server)
  cuttable = await startServer({
    database: { ...world.server.database, server: proxy.url, owner },
    clock: () => world.clock.now,
  })
})
afterAll(async () => {
  await cuttable.close()
  await proxy.close()
  await world.close()
})

const MONTHS = 2

/** A call that moves credits. */
type Spending = {
  name: string
  call: Parameters<Person['attempt']>[0]
  /** What it adds to the dealer's credits. */
  moves: number
  input: (scene: Scene) => object
  by?: 'reseller'
  /** Whether it shares its transaction, which locks the sessions first. */
  shares?: true
}
type Scene = { family: Family; client: string }

const SPENDING: Spending[] = [
  {
    name: 'create',
    call: calls.clients.create,
    moves: -MONTHS,
    input: () => newClient({ months: MONTHS }),
  },
  {
    name: 'saveclient',
    call: calls.clients.save,
    moves: -MONTHS,
    input: ({ client }) => ({ login: client, months: MONTHS, desc: unique() }),
  },
  {
    name: 'renew',
    call: calls.clients.renew,
    shares: true,
    moves: -MONTHS,
    input: ({ client }) => ({ name: client, months: MONTHS }),
  },
  {
    name: 'multirenew',
    call: calls.clients.multirenew,
    moves: -MONTHS,
    input: ({ client }) => ({ clients: [client], months: MONTHS }),
  },
  {
    name: 'retrieve',
    call: calls.clients.retrieve,
    moves: MONTHS,
    input: ({ client }) => ({ login: client, credits: MONTHS }),
  },
  {
    name: 'save',
    call: calls.level.dealer.save,
    moves: MONTHS,
    input: ({ family }) => ({ name: family.dealer.name, credits: MONTHS, transaction: 0, desc: unique() }),
    by: 'reseller',
  },
]
const BEGIN = 'begin read write'
const MOMENTS: Moment[] = ['before', 'during', 'after']

/** `npm run faults` cuts at every statement; `npm test` at every COMMIT and at every fourth of the others. */
const STRIDE = runs(4, 1)
const offset = seedOf('the cut connection') % STRIDE

describe.each(SPENDING)('$name whose connection is cut', (spending) => {
  test.each(MOMENTS)(
    '%s a statement loses nothing, does nothing twice and claims nothing false',
    async (moment) => {
      const scene = await newScene()
      const statements = await statementsOf(scene, spending)
      expect(statements).toContain(BEGIN)
      expect(statements.at(-2)).toContain(spending.shares ? 'idempotency_key' : 'hold_session')
      expect(statements.at(-1)).toBe('commit')
      const done: string[] = []
      for (const [at, statement] of statements.entries()) {
        if (at % STRIDE !== offset && statement !== 'commit') continue
        const { first, isDone } = await makeTwice(scene, spending, { at, moment })
        // The server reconnects by itself when a connection is lost before the transaction.
        const isBegun = at > statements.indexOf(BEGIN)
        expect(first, statement).toMatchObject({ status: isBegun ? 503 : 200 })
        if (isBegun && isDone) done.push(statement)
      }
      if (moment === 'before') expect(done).not.toContain('commit')
      if (moment === 'after') expect(done).toContain('commit')
      await proveTheBooks(world.server.sql, [scene.family.superreseller.id])
    },
  )
})

const SILENCES = [
  { name: 'at the COMMIT', at: (statements: string[]) => statements.length - 1 },
  { name: 'in a transaction', at: (statements: string[]) => statements.indexOf(BEGIN) + 2 },
  { name: 'before a transaction', at: (statements: string[]) => statements.indexOf(BEGIN) },
].slice(0, runs(1, 3))

test.each(SILENCES)(
  'a call ends with a 503 when the database falls silent $name, and the next one works',
  async ({ at }) => {
    const scene = await newScene()
    const spending = SPENDING[2] as Spending
    const statements = await statementsOf(scene, spending)
    const cut = { at: at(statements), moment: 'in silence' as const }
    const { first } = await makeTwice(scene, spending, cut)
    expect(first).toMatchObject({ status: 503 })
    const health = await fetch(`${cuttable.url}/v1/health`)
    expect(health.status).toBe(200)
    await proveTheBooks(world.server.sql, [scene.family.superreseller.id])
  },
)

/** Returns the statements of a call on a new connection, where none is prepared yet. */
async function statementsOf(scene: Scene, spending: Spending): Promise<string[]> {
  const make = () => at(scene, spending).attempt(spending.call, spending.input(scene), { key: unique() })
  // From then on it is remembered whose the session is.
  if (spending.shares) await make()
  await renew()
  expect(await make()).toMatchObject({ status: 200 })
  const seen = proxy.takeSeen()
  await renew()
  return seen
}

/** Makes a call whose connection is cut, and repeats it with the same key on the other server. */
async function makeTwice(scene: Scene, spending: Spending, cut: { at: number; moment: Moment }) {
  const input = spending.input(scene)
  const key = unique()
  const before = await stateOf(scene)
  proxy.cutAt(cut.at, cut.moment)
  const first = await at(scene, spending).attempt(spending.call, input, { key })
  proxy.mend()
  const between = await stateOf(scene)
  const again = await scene.family[spending.by ?? 'dealer'].send(spending.call, input, { key })
  const after = await stateOf(scene)
  expect(again.status, again.text).toBe(200)
  expect(after).toEqual({ rows: before.rows + 1, credits: before.credits + spending.moves })
  if (first !== null && first !== 'cut' && first.status === 200) {
    expect(between).toEqual(after)
    expect(first.text).toBe(again.text)
    await renew()
  }
  return { first, isDone: between.rows > before.rows }
}

function at(scene: Scene, spending: Spending): Person {
  return world.at(cuttable, scene.family[spending.by ?? 'dealer'])
}

async function renew(): Promise<void> {
  proxy.renew()
  await begin(cuttable.sql, (sql) => sql`select 'here'`)
  proxy.takeSeen()
}

/** Returns the dealer's credits, and the number of its rows in the ledger. */
async function stateOf({ family }: Scene): Promise<{ rows: number; credits: number }> {
  const [state] = await world.server.sql<{ rows: number; credits: number }[]>`
    select (select count(*) from transfer where dealer = ${family.dealer.id}) as rows,
      (select balance from holding where account = ${family.dealer.id} and kind = 'balance') as credits`
  return state ?? { rows: 0, credits: 0 }
}

async function newScene(): Promise<Scene> {
  const family = await world.family({ credits: 9_000 })
  await world.give(world.admin, family.superreseller, 9_000)
  await world.give(family.superreseller, family.reseller, 9_000)
  const { name: client } = await world.client(family.dealer, { months: '2d' })
  // Enough for a retrieval at each statement.
  for (let paid = 0; paid < 8; paid += 1) {
    await family.dealer.call(calls.clients.renew, { name: client, months: 12 })
  }
  return { family, client }
}
