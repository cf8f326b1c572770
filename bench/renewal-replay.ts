import { createHash, randomUUID } from 'node:crypto'
import { addMonths, dayOf, endOf, later } from '../server/ledger/calendar.ts'
import { type Connect, type Sql, withPool } from '../server/postgres/pool.ts'
import type { Renewer } from './renewers.ts'

/** A statement as the server sends it: its text and the types of its parameters. */
export interface Statement {
  text: string
  types: number[]
}

/** The state of a renewal while its statements are replayed. */
interface Renewal {
  now: Date
  key: string
  by: Renewer
  names: string[]
  clients: { id: number; name: string; mac: string | null; description: string; expiry: string }[]
  balances: { id: number; balance: number }[]
}

/** The parameters of each statement of a renewal, found by a word that only it contains. */
const PARAMETERS: readonly (readonly [RegExp, (renewal: Renewal) => unknown[]])[] = [
  [/asked \(hex\)/, ({ by, now }) => [[createHash('sha256').update(by.token).digest('hex')], now]],
  [/from session /, ({ by, now }) => [createHash('sha256').update(by.token).digest(), now]],
  [/^(begin|commit|select 1)/, () => []],
  [/claim_key/, ({ by, key, now }) => [by.id, 'clients.multirenew', key, now]],
  [/from client c join service/, ({ by, names }) => [by.id, names.map((name) => name.toLowerCase())]],
  [
    /update service/,
    ({ clients }) => [clients.map(({ id }) => id), clients.map(({ expiry }) => nextMonth(expiry))],
  ],
  [/lock_holdings/, ({ by }) => [[by.balance, by.consumed]]],
  [/insert into transfer/, (renewal) => [rowsOf(renewal)]],
  [
    /with audited/,
    ({ by, key, now, clients }) => [
      ...['clients.multirenew', [{ account: by.id, address: '127.0.0.1', detail: detailOf(clients) }]],
      ...['clients.multirenew', [keptUnder(key, by, now)]],
      ...[createHash('sha256').update(by.token).digest(), now],
    ],
  ],
]

/**
 * Sends the statements of a renewal of many, each after the result of the one before, without any work of the server.
 */
export async function replay(sql: Sql, statements: readonly Statement[], by: Renewer, names: string[]) {
  const renewal: Renewal = { now: new Date(), key: randomUUID(), by, names, clients: [], balances: [] }
  for (const { text, types } of statements) {
    const parameters = parametersOf(text)(renewal).map((value, at) =>
      sql.typed(value as never, types[at] ?? 0),
    )
    const rows = await sql.unsafe(text, parameters as never, { prepare: true })
    if (/from client c join/.test(text)) renewal.clients = rows as never
    if (/lock_holdings/.test(text)) renewal.balances = rows as never
  }
}

function parametersOf(text: string) {
  const known = PARAMETERS.find(([word]) => word.test(text))
  if (!known) throw new Error(`A renewal sends a statement that the benchmark does not know: ${text}`)
  return known[1]
}

function detailOf(clients: Renewal['clients']): object {
  return { clients: clients.map(({ name }) => name), months: 1 }
}

function keptUnder(key: string, { id }: Renewer, created: Date): object {
  const body_hmac = createHash('sha256').update(key).digest('hex')
  return { account: id, key, body_hmac, reply: { status: 'OK', count: 1, credits: 0 }, created }
}

function rowsOf({ by, clients, balances }: Renewal): object[] {
  const has = (holding: number) => balances.find(({ id }) => id === holding)?.balance ?? 0
  return clients.map(({ id, name, mac, description, expiry }, at) => ({
    type: 'USED',
    superreseller: by.superreseller,
    reseller: by.reseller,
    dealer: by.id,
    client: id,
    actor: by.id,
    login: name,
    mac,
    description,
    expiry: nextMonth(expiry),
    expiry_before: expiry,
    counted_from: countedFrom(expiry),
    credits: 1,
    source: by.balance,
    destination: by.consumed,
    source_balance: has(by.balance) - at - 1,
    destination_balance: has(by.consumed) + at + 1,
  }))
}

const months = new Map<string, string>()

/** Returns the expiry a month later. It is cached, so that the measurement is of the database and the driver. */
function nextMonth(expiry: string): string {
  const from = countedFrom(expiry)
  const known = months.get(from) ?? endOf(addMonths(from, 1), 'UTC')
  months.set(from, known)
  return known
}

const TODAY = dayOf(new Date(), 'UTC')

function countedFrom(expiry: string): string {
  const day = expiry.slice(0, 10)
  return later(day, TODAY)
}

/**
 * Returns the statements of one renewal in their order. `ready` receives a pool of one connection and returns the
 * renewal.
 */
export async function captureStatements(
  to: Connect,
  ready: (sql: Sql) => Promise<() => Promise<void>>,
): Promise<Statement[]> {
  const statements: Statement[] = []
  await withPool(to, { max: 1 }, async (sql) => {
    const renew = await ready(sql)
    await renew()
    sql.options.debug = (_connection, text, _parameters, types) => {
      statements.push({ text: text.trim(), types: [...(types as number[])] })
    }
    await renew()
  })
  return statements
}
