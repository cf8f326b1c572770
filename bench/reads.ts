import { everyCall, pathParameters } from '../contract/call.ts'
import { calls } from '../contract/calls.ts'
import { CLIENT_FILTERS } from '../contract/clients.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { ANY_CLIENT_SORTS, CLIENT_SORTS, TRANSACTION_TYPES } from '../contract/shapes.ts'
import { DAY_MS } from '../contract/time.ts'
import { TRANSACTION_SORTS } from '../contract/transactions.ts'
import type { Sql } from '../server/postgres/pool.ts'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { withDatabaseOf } from './database.ts'
import { DETAIL, type Figure, median, quantile, type Round, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions, type People } from './people.ts'
import { timed } from './timed.ts'

/** How often each call is made after FEW warm-up calls. A slow call stops after ENOUGH_MS, but not before FEW. */
const TIMES = 20
const FEW = 3
const ENOUGH_MS = 400

/**
 * Measures every call that reads, by the busiest account of each role, one after the other over one connection: lists
 * with every sort and filter, on their first and their last page.
 */
export async function* readFigures({ million, tenthousand }: Folders): AsyncGenerator<Figure> {
  const measured = await measureReads([tenthousand, million])
  for (const [group, limit] of GROUPS) {
    const worst = measured.filter((one) => one.group === group).sort((a, b) => slowest(b) - slowest(a))
    if (DETAIL) for (const one of worst.slice(0, 12)) process.stderr.write(`  ${inWords(one)}\n`)
    const [first] = worst
    if (!first) continue
    yield { what: `${group} (${worst.length}), p95 of the slowest`, value: slowest(first), limit, unit: 'ms' }
    yield ratioOf(roundsOf(first), { what: BESIDE_FEW, limit: MOST_GROWN, absolute: 'ms' })
  }
  const paged = measured.filter(({ group }) => group.startsWith('Page'))
  yield grown(
    'of lists',
    paged.filter(({ group }) => !group.includes('search')),
  )
  yield grown(
    'of searches',
    paged.filter(({ group }) => group.includes('search')),
  )
}

const BESIDE_FEW = '    the same call, beside a database of 10,000 clients'
/** What the highest exponent of the growth allows for a hundred times as many clients. */
const MOST_GROWN = 5

function grown(what: string, paged: readonly Measured[]): Figure {
  const slower = paged.filter((one) => {
    const [before, now] = one.times.map(median) as [number, number]
    const isSlower = now > Math.max(before * 2, before + 5)
    if (DETAIL && isSlower) process.stderr.write(`  from ${before.toFixed(1)} ms: ${inWords(one)}\n`)
    return isSlower
  })
  return {
    what: `Pages ${what} (${paged.length}) that grew more than twofold and by 5 ms`,
    value: slower.length,
    limit: 0,
    unit: '',
  }
}

/** Returns the 95th percentile of a call among the most clients. */
function slowest({ times }: Measured): number {
  return quantile(times.at(-1) ?? [], 0.95)
}

/** Returns the times among the most clients beside those among the fewest, which were measured by turns. */
function roundsOf({ times }: Measured): Round[] {
  return (times.at(-1) ?? []).map((ours, at) => ({ ours, theirs: times[0]?.[at] ?? Number.NaN }))
}

const GROUPS = [
  ['Pages of all clients', 50],
  ["Pages of a dealer's 100,000 clients", 50],
  ['Pages of a search in all clients that finds few', 100],
  ['Pages of a search in all clients that finds some', 100],
  ['Pages of a search in all clients that finds nearly all', 100],
  ['Pages of a search in 100,000 clients that finds few', 100],
  ['Pages of a search in 100,000 clients that finds some', 100],
  ['Pages of a search in 100,000 clients that finds nearly all', 100],
  ['Finding the best of 100,000 clients', 100],
  ['Sums over 100,000 clients: spent, due and the forecast', 500],
  ['Pages of the transactions of one type', 100],
  ['Sums of the transactions of 30 days', 500],
  ['Other calls of the admin', 50],
  ['Other calls of the superreseller', 50],
  ['Other calls of the reseller', 50],
  ['Other calls of the dealer', 50],
] as const

type Group = (typeof GROUPS)[number][0]

interface Case {
  group: Group
  /** Identifies the case in both databases. */
  key: string
  path: string
}
interface Measured extends Case {
  /** How long it took, by database. */
  times: number[][]
}

/** Measures every call that reads on each database by turns. */
export async function measureReads(dataDirs: readonly string[]): Promise<Measured[]> {
  const readers: Reader[] = []
  try {
    for (const dataDir of dataDirs) readers.push(await openReader(dataDir))
    const measured: Measured[] = []
    for (const at of readers[0]?.cases.keys() ?? []) {
      const sides: Read[][] = []
      for (const { cases } of readers) sides.push(await ends(cases[at] as Read))
      for (const [end, { one }] of sides.at(-1)?.entries() ?? []) {
        const reads = sides.flatMap((side) => side[end] ?? [])
        measured.push({
          ...one,
          times: await time(
            reads.map(
              ({ one, get }) =>
                () =>
                  get(one.path),
            ),
          ),
        })
      }
    }
    return measured
  } finally {
    for (const reader of readers) await reader.close()
  }
}

/** What can be read of a database: the same cases of each, in the same order. */
interface Reader {
  cases: Read[]
  close(): Promise<void>
}
interface Read {
  one: Case
  get(path: string): Promise<string>
}

async function openReader(dataDir: string): Promise<Reader> {
  const console = await startConsole({ dataDir })
  const connection = await Connection.open(console.url)
  const { people, client } = await withDatabaseOf(dataDir, async (sql) => {
    const people = await openSessions(sql)
    return { people, client: await anyClient(sql, people.dealer.id) }
  })
  return {
    cases: ROLES.flatMap((role) =>
      casesOf(role, people, client).map((one) => ({
        one,
        get: (path: string) => connection.get(path, people[role].token),
      })),
    ),
    async close() {
      connection.close()
      await console.stop()
    },
  }
}

interface Client {
  name: string
  mac: string
  phone: string
  expiry: string
}

async function anyClient(sql: Sql, dealer: number): Promise<Client> {
  const [client] = await sql<Client[]>`
    select c.name, c.mac, c.phone, s.expiry from client c join service s on s.client = c.id
    where c.dealer = ${dealer} and c.mac is not null and length(c.phone) > 6 and c.deleted is null
    order by c.id desc limit 1`
  if (!client) throw new Error('There is no client with a MAC and a phone number')
  return client
}

/** Returns every call with which a role reads; the lists of clients with every sort, filter and search. */
function casesOf(role: Role, people: People, client: Client): Case[] {
  return everyCall(calls).flatMap((call) => {
    const { name } = call
    if (call.method !== 'GET' || call.roles === 'anyone' || !call.roles.includes(role)) return []
    if (name === 'clients.list')
      return lists(
        call.path,
        CLIENT_SORTS,
        client,
        "Pages of a dealer's 100,000 clients",
        'Pages of a search in 100,000 clients',
      )
    if (name === 'admin.clients')
      return lists(
        call.path,
        ANY_CLIENT_SORTS,
        { ...client, dealer: people.dealer.name },
        'Pages of all clients',
        'Pages of a search in all clients',
      )
    if (name === 'clients.find') {
      return Object.entries(terms(client)).map(([word, search]) => ({
        group: 'Finding the best of 100,000 clients' as const,
        key: `${name} ${word}`,
        path: `${call.path}?${new URLSearchParams({ search })}`,
      }))
    }
    if (name === 'transactions.list') {
      return TRANSACTION_TYPES.flatMap((type) =>
        TRANSACTION_SORTS.map((sort) => ({
          group: 'Pages of the transactions of one type' as const,
          key: `${role} ${type} by ${sort}`,
          path: `${call.path}?${new URLSearchParams({ type, sort })}`,
        })),
      )
    }
    // All sums of the admin's are over ten million rows; its screen begins with a month.
    if (name === 'transactions.sums') {
      const from = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10)
      return [
        {
          group: 'Sums of the transactions of 30 days' as const,
          key: `${role} ${name}`,
          path: `${call.path}?from=${from}`,
        },
      ]
    }
    const child = name === 'tree.clients' ? 'dealer' : CHILD[role]
    const given: Record<string, string> = { mac: client.mac, name: child ? people[child].name : client.name }
    const path = pathParameters(call.path).reduce(
      (path, key) => path.replace(`{${key}}`, encodeURIComponent(given[key] ?? '')),
      call.path,
    )
    const group = SUMS.includes(name)
      ? ('Sums over 100,000 clients: spent, due and the forecast' as const)
      : (`Other calls of the ${role}` as const)
    const query = name === 'clients.macLastSeen' ? `?mac=${client.mac}` : ''
    return [{ group, key: `${role} ${name}`, path: `${path}${query}` }]
  })
}

/** The calls that add up rows of all the dealer's clients. */
const SUMS = ['clients.spent', 'clients.due', 'clients.dueClients', 'clients.forecast']

const CHILD: Partial<Record<Role, Role>> = {
  admin: 'superreseller',
  superreseller: 'reseller',
  reseller: 'dealer',
}

function lists(
  path: string,
  sorts: readonly string[],
  client: Client & { dealer?: string },
  plain: Group,
  searched: 'Pages of a search in all clients' | 'Pages of a search in 100,000 clients',
): Case[] {
  const ways = sorts.flatMap((sort) => ['asc', 'desc'].map((order) => ({ sort, order })))
  const all = ways.flatMap((way) => CLIENT_FILTERS.map((filter) => ({ ...way, filter })))
  const largest = { sort: 'name', order: 'asc', filter: 'all', per_page: '100' }
  const queries: [Group, string, Record<string, string>][] = [...all, largest].map((query) => [
    plain,
    '',
    query,
  ])
  for (const [word, search] of Object.entries(terms(client))) {
    const found = `${searched} that finds ${BREADTH[word] ?? 'some'}` as const
    for (const way of ways.filter(({ sort }) => SEARCHED_BY.includes(sort))) {
      queries.push([found, word, { ...way, filter: 'all', search }])
    }
    queries.push([found, word, { sort: 'name', order: 'asc', filter: 'expired', search }])
  }
  return queries.map(([group, word, query]) => ({
    group,
    key: `${path} ${word} ${query.sort} ${query.order} ${query.filter} ${query.per_page ?? 10}`,
    path: `${path}?${new URLSearchParams(query)}`,
  }))
}

/** A sort by a searched column, and one by another. */
const SEARCHED_BY = ['name', 'expiry']

/** How many clients a search finds. Every other search finds some: thousands, up to a half. */
const BREADTH: Record<string, 'few' | 'nearly all'> = {
  name: 'few',
  'part of a MAC': 'few',
  'a MAC without colons': 'few',
  nothing: 'few',
  'two letters that nobody has': 'few',
  "every MAC's beginning": 'nearly all',
  'one letter': 'nearly all',
}

/** Search terms as people type them, from one that finds a single client to one that finds nearly all. */
function terms({ name, mac, phone, expiry, dealer }: Client & { dealer?: string }): Record<string, string> {
  return {
    name,
    'part of a name': name.slice(0, 5),
    'part of a MAC': mac.slice(9).toLowerCase(),
    'a MAC without colons': mac.replaceAll(':', ''),
    "every MAC's beginning": '00:1a:79',
    'a phone number': phone.slice(0, 6),
    day: expiry.slice(0, 10),
    month: expiry.slice(0, 7),
    'one letter': 'a',
    'one digit': '7',
    'two digits': '79',
    'a place': 'kitchen',
    nothing: 'qqzzqq',
    'two letters that nobody has': 'qz',
    ...(dealer && { dealer, 'part of a dealer': dealer.slice(0, 5) }),
  }
}

/** Returns the first and the last page of a list. */
async function ends({ one, get }: Read): Promise<Read[]> {
  if (!one.group.startsWith('Page')) return [{ one, get }]
  const { total_pages } = JSON.parse(await get(one.path)) as { total_pages: number }
  return [
    { one: { ...one, key: `${one.key} first` }, get },
    { one: { ...one, key: `${one.key} deepest`, path: `${one.path}&page=${total_pages}` }, get },
  ]
}

/** Makes the calls by turns. Returns how long each took. */
async function time(calls: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
  const times: number[][] = calls.map(() => [])
  let spent = 0
  for (let round = 0; round < FEW * 2 || (spent < ENOUGH_MS && round < FEW + TIMES); round += 1) {
    for (const [at, call] of calls.entries()) {
      times[at]?.push(await timed(call))
    }
    spent += Math.max(...times.map((of) => of.at(-1) ?? 0))
  }
  return times.map((of) => of.slice(FEW))
}

function inWords({ times, path }: Measured): string {
  const great = times.at(-1) ?? []
  return `${median(great).toFixed(1)} ms, p95 ${quantile(great, 0.95).toFixed(1)} ms: ${decodeURIComponent(path)}`
}
