import { everyCall, pathParameters } from '../contract/call.ts'
import { calls } from '../contract/calls.ts'
import { CLIENT_FILTERS } from '../contract/clients.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { ANY_CLIENT_SORTS, CLIENT_SORTS } from '../contract/shapes.ts'
import { DAY_MS } from '../contract/time.ts'
import type { Sql } from '../server/postgres/pool.ts'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { type Figure, median, quantile } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions, type People, withDatabaseOf } from './people.ts'

/** How often each call is made after FEW warm-up calls. A slow call stops after ENOUGH_MS, but not before FEW. */
const TIMES = 20
const FEW = 3
const ENOUGH_MS = 400
/** Prints the measurements behind the figures. */
const DETAIL = process.env.BENCH_DETAIL !== undefined

/**
 * Measures every call that reads, by the busiest account of each role, one after the other over one connection: lists
 * with every sort and filter, on their first and their last page.
 */
export async function* readFigures({ million, tenthousand }: Folders): AsyncGenerator<Figure> {
  const small = await measure(tenthousand)
  const great = await measure(million)
  for (const [group, limit] of GROUPS) {
    const worst = great.filter((one) => one.group === group).sort((a, b) => b.p95 - a.p95)
    if (DETAIL) for (const one of worst.slice(0, 12)) process.stderr.write(`  ${inWords(one)}\n`)
    const [first] = worst
    if (first)
      yield { what: `${group} (${worst.length}), p95 of the slowest`, value: first.p95, limit, unit: 'ms' }
  }
  const paged = great.filter(({ group }) => group.startsWith('Page'))
  yield grown(
    'of lists',
    paged.filter(({ group }) => !group.includes('search')),
    small,
  )
  yield grown(
    'of searches',
    paged.filter(({ group }) => group.includes('search')),
    small,
  )
}

function grown(what: string, paged: readonly Measured[], small: readonly Measured[]): Figure {
  const slower = paged.filter((one) => {
    const before = small.find(({ key }) => key === one.key)?.median ?? 0
    const isSlower = one.median > Math.max(before * 2, before + 5)
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
  median: number
  p95: number
}

/** Measures every call that reads on a database. */
export async function measure(dataDir: string): Promise<Measured[]> {
  const console = await startConsole({ dataDir })
  const connection = await Connection.open(console.url)
  try {
    const { people, client } = await withDatabaseOf(dataDir, async (sql) => {
      const people = await openSessions(sql)
      return { people, client: await anyClient(sql, people.dealer.id) }
    })
    const measured: Measured[] = []
    for (const role of ROLES) {
      const get = (path: string) => connection.get(path, people[role].token)
      for (const one of casesOf(role, people, client)) {
        for (const { key, path } of await ends(one, get)) {
          const times = await time(() => get(path))
          measured.push({ ...one, key, path, median: median(times), p95: quantile(times, 0.95) })
        }
      }
    }
    return measured
  } finally {
    connection.close()
    await console.stop()
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
        path: `/v1${call.path}?${new URLSearchParams({ search })}`,
      }))
    }
    // All sums of the admin's are over ten million rows; its screen begins with a month.
    if (name === 'transactions.sums') {
      const from = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10)
      return [
        {
          group: 'Sums of the transactions of 30 days' as const,
          key: `${role} ${name}`,
          path: `/v1${call.path}?from=${from}`,
        },
      ]
    }
    const child = CHILD[role]
    const given: Record<string, string> = { mac: client.mac, name: child ? people[child].name : client.name }
    const path = pathParameters(call.path).reduce(
      (path, key) => path.replace(`{${key}}`, encodeURIComponent(given[key] ?? '')),
      call.path,
    )
    const group = SUMS.includes(name)
      ? ('Sums over 100,000 clients: spent, due and the forecast' as const)
      : (`Other calls of the ${role}` as const)
    return [{ group, key: `${role} ${name}`, path: `/v1${path}` }]
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
    path: `/v1${path}?${new URLSearchParams(query)}`,
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
async function ends(
  one: Case,
  get: (path: string) => Promise<string>,
): Promise<{ key: string; path: string }[]> {
  if (!one.group.startsWith('Page')) return [one]
  const { total_pages } = JSON.parse(await get(one.path)) as { total_pages: number }
  return [
    { key: `${one.key} first`, path: one.path },
    { key: `${one.key} deepest`, path: `${one.path}&page=${total_pages}` },
  ]
}

async function time(call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  let spent = 0
  while (times.length < FEW * 2 || (spent < ENOUGH_MS && times.length < FEW + TIMES)) {
    const began = performance.now()
    await call()
    times.push(performance.now() - began)
    spent += times.at(-1) ?? 0
  }
  return times.slice(FEW)
}

function inWords({ median, p95, path }: Measured): string {
  return `${median.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms: ${decodeURIComponent(path)}`
}
