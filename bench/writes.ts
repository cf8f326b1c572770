import { fork } from 'node:child_process'
import { join } from 'node:path'
import { pino } from 'pino'
import { readSecretKey } from '../server/access/secret.ts'
import { openApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { transfer } from '../server/ledger/transfer.ts'
import { begin } from '../server/postgres/begin.ts'
import { openDatabase } from '../server/postgres/database.ts'
import type { Connect, Sql } from '../server/postgres/pool.ts'
import { openPool } from '../server/postgres/pool.ts'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { type Figure, median } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSession } from './people.ts'
import { pgbench } from './pgbench.ts'
import { captureStatements, type Renewer, replay, type Statement } from './renewal.ts'
import type { Done, Order } from './renewing.ts'

const DEALERS = 256
const CLIENTS_EACH = 20
const CONNECTIONS = [8, 32]
const WARM_UP_MS = 500
const MEASURED_MS = 3_000
/** The ways take turns, so that each one bears its share of the full-page writes after a checkpoint. */
const ROUNDS = 5
const MANY = 1_000
const TIMES = 5

/**
 * Measures renewals of many dealers through the whole server, and compares them with the same statements sent by the
 * driver alone and by pgbench, over as many connections.
 */
export async function* writeFigures({ million }: Folders): AsyncGenerator<Figure | string> {
  const console = await startConsole({ dataDir: million })
  const config = readConfig({ DATA_DIR: million })
  const database = await openDatabase(config, () => {}, { guest: true })
  const sql = openPool(database.server, { max: 1, patient: true })
  try {
    const renewers = await prepare(sql, DEALERS, CLIENTS_EACH)
    const statements = await statementsOf(million, database.server, renewers[0] as Renewer)
    yield `A renewal is ${statements.length} statements.`
    for (const connections of CONNECTIONS) {
      const ways = {
        http: () => rate({ way: { url: console.url }, connections, renewers }),
        driver: () => rate({ way: { database: database.server, statements }, connections, renewers }),
        pgbench: () => pgbench(database, { statements, connections, renewers, seconds: MEASURED_MS / 1000 }),
      }
      yield* compare(connections, ways)
    }
    yield* renewalOfMany(console.url, sql, statements)
  } finally {
    await sql.end()
    await database.stop()
    await console.stop()
  }
}

/** Prepares dealers with a session and credits, the biggest first. */
async function prepare(sql: Sql, dealers: number, clients: number): Promise<Renewer[]> {
  const renewers = await sql<(Omit<Renewer, 'token'> & { issue: number; admin: number; chain: number[] })[]>`
    select d.id, d.superreseller, d.reseller, b.id as balance, c.id as consumed, i.id as issue, i.account as admin,
      array[sb.id, rb.id] as chain, array(
        select name from client where dealer = d.id and deleted is null order by lower(name) limit ${clients}
      ) as clients
    from account d
    join holding b on b.account = d.id and b.kind = 'balance'
    join holding c on c.account = d.id and c.kind = 'consumed'
    join holding sb on sb.account = d.superreseller join holding rb on rb.account = d.reseller
    join holding i on i.kind = 'issue'
    where d.role = 'dealer' order by d.id limit ${dealers}`
  const credits = 20_000
  const ready: Renewer[] = []
  for (const { issue, admin, chain, ...one } of renewers) {
    await begin(sql, async (sql) => {
      const { superreseller, reseller, id } = one
      const [top, middle] = chain as [number, number]
      await add(sql, issue, top, { superreseller, reseller: null, dealer: null }, admin, superreseller)
      await add(sql, top, middle, { superreseller, reseller, dealer: null }, superreseller, reseller)
      await add(sql, middle, one.balance, { superreseller, reseller, dealer: id }, reseller, id)
    })
    ready.push({ ...one, token: await openSession(sql, one.id) })
  }
  return ready

  async function add(
    sql: Sql,
    source: number,
    destination: number,
    path: { superreseller: number; reseller: number | null; dealer: number | null },
    actor: number,
    to: number,
  ): Promise<void> {
    const [account] = await sql<{ name: string }[]>`select name from account where id = ${to}`
    const facts = {
      created: new Date(),
      path,
      actor,
      login: account?.name ?? '',
      description: 'For a measurement',
    }
    await transfer(sql, { type: 'ADD', source, destination, rows: [{ ...facts, credits }] })
  }
}

/** Captures the statements that the server sends for one renewal. */
function statementsOf(dataDir: string, to: Connect, by: Renewer): Promise<Statement[]> {
  return captureStatements(to, async (sql) => {
    const config = readConfig({ DATA_DIR: dataDir })
    const app = await openApp({
      config,
      database: to,
      sql,
      secretKey: readSecretKey(config),
      log: pino({ level: 'silent' }),
      freeSpace: null,
    })
    return async () => {
      const answer = await app.inject({
        method: 'POST',
        url: '/v1/api/renew',
        headers: { 'access-token': by.token, 'idempotency-key': crypto.randomUUID() },
        payload: { name: by.clients[0], months: 1 },
      })
      if (answer.statusCode !== 200) throw new Error(answer.body)
    }
  })
}

type Ways = Record<'http' | 'driver', () => Promise<number>> & { pgbench: () => Promise<number | string> }

async function* compare(connections: number, ways: Ways): AsyncGenerator<Figure | string> {
  const [http, driver, pgbenchRates]: [number[], number[], (number | string)[]] = [[], [], []]
  await ways.http()
  await ways.driver()
  for (let round = 0; round < ROUNDS; round += 1) {
    http.push(await ways.http())
    driver.push(await ways.driver())
    pgbenchRates.push(await ways.pgbench())
  }
  const what = `Renewals through HTTP, ${connections} connections`
  yield { what, value: median(http), limit: null, unit: '/s' }
  yield* comparison(http, 'the driver', driver, 0.8)
  const missing = pgbenchRates.find((one) => typeof one === 'string')
  if (typeof missing === 'string') yield missing
  else yield* comparison(http, 'pgbench', pgbenchRates as number[], 0.4)
}

/** Compares each round by itself, because the machine's speed varies between rounds. */
function* comparison(http: number[], what: string, rates: number[], limit: number): Generator<Figure> {
  yield { what: `the same statements by ${what}`, value: median(rates), limit: null, unit: '/s' }
  const parts = http.map((rate, round) => rate / (rates[round] ?? Number.NaN))
  yield { what: `HTTP beside ${what}`, value: median(parts), limit, atLeast: true, unit: '' }
}

/** Returns the renewals per second. */
async function rate(order: Omit<Order, 'milliseconds'>): Promise<number> {
  await run({ ...order, milliseconds: WARM_UP_MS })
  const { renewals, milliseconds } = await run({ ...order, milliseconds: MEASURED_MS })
  return renewals / (milliseconds / 1000)
}

function run(order: Order): Promise<Done> {
  const child = fork(join(import.meta.dirname, 'renewing.ts'))
  return new Promise((resolve, reject) => {
    child.once('message', (done: Done) => resolve(done))
    child.once('exit', (code) => reject(new Error(`What renews ended with ${code}`)))
    child.send(order)
  })
}

async function* renewalOfMany(
  url: string,
  sql: Sql,
  statements: readonly Statement[],
): AsyncGenerator<Figure> {
  const [by] = (await prepare(sql, 1, MANY)) as [Renewer]
  const connection = await Connection.open(url)
  const body = JSON.stringify({ clients: by.clients, months: 1 })
  const [through, bare]: [number[], number[]] = [[], []]
  for (let time = 0; time < TIMES; time += 1) {
    through.push(
      await timed(() => connection.post('/v1/api/multirenew', by.token, body, crypto.randomUUID())),
    )
    bare.push(await timed(() => replay(sql, statements, by, by.clients)))
  }
  connection.close()
  const most = 2 * median(bare)
  yield {
    what: `A renewal of ${MANY} clients, at most twice its bare SQL`,
    value: median(through),
    limit: most,
    unit: 'ms',
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
