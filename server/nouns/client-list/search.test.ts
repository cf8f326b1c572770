import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_FILTERS, expiryState, LIST_FILTERS, type ListFilter } from '../../../contract/clients.ts'
import { ANY_CLIENT_SORTS } from '../../../contract/shapes.ts'
import { DAY_MS } from '../../../contract/time.ts'
import { THOROUGH } from '../../../test/laws/runs.ts'
import { openWorld, type Person, type World } from '../../../test/support/world.ts'
import type { Context } from '../../context.ts'
import { begin } from '../../postgres/begin.ts'
import { readSearch, type Search } from '../../tree/search.ts'
import { walkToPage } from './in-order.ts'
import { areManyOfEach } from './matches.ts'
import type { ListQuery, PageQuery } from './page.ts'
import { BOUNDS, type Bounds, choosePlan, chooseUnsearched, findPage } from './plan.ts'

type Client = {
  id: number
  name: string
  description: string
  mac: string | null
  ministra: boolean
  phone: string
  expiry: string
  status: boolean
  dealer: string
  /** How many seconds ago its box polled; null where it never did. */
  polled: number | null
}

const MANY = 240

let world: World
let dealers: Person[]
let clients: Client[]
beforeAll(async () => {
  world = await openWorld()
  dealers = [(await world.family()).dealer, (await world.family()).dealer]
  const now = world.clock.now.getTime()
  // Each field repeats at a different interval, so that no two fields sort alike.
  clients = Array.from({ length: MANY }, (_, at) => ({
    id: 0,
    name: `${'kmtz'[at % 4]}ey${(at * 37) % MANY}-${at % 3 === 0 ? 'X' : 'y'}`,
    description: ['Kitchen', 'bedroom 2', '', 'HALL 17', 'kiosk'][(at * 7) % 5] as string,
    mac:
      at % 4 === 1
        ? null
        : `00:1A:79:${(at * 7919)
            .toString(16)
            .padStart(6, '0')
            .slice(-6)
            .toUpperCase()
            .replace(/(..)(..)(..)/, '$1:$2:$3')}`,
    ministra: at % 4 === 1,
    phone: String(41_655_501_00 + at * 31),
    expiry: new Date(
      Math.floor(now / DAY_MS) * DAY_MS - 1_000 + DAY_MS * (((at * 13) % 90) - 30),
    ).toISOString(),
    status: at % 6 !== 2,
    // Clients of both dealers have the same expiries: 90 is no multiple of 7.
    dealer: dealers[at % 7 < 2 ? 1 : 0]?.name as string,
    polled: [null, 3, 299, 300, 301, 90_000][(at * 5) % 11] ?? null,
  }))
  for (const client of clients) client.id = await plant(client)
})
afterAll(() => world.close())

async function plant(client: Client): Promise<number> {
  const [made] = await world.server.sql<{ id: number }[]>`
    with made as (
      insert into client (dealer, name, password, mac, ministra, active, phone, description, package_selection, created)
      select id, ${client.name}, '', ${client.mac}, ${client.ministra}, ${client.status}, ${client.phone},
        ${client.description}, 1, ${world.clock.now} from account where name = ${client.dealer}
      returning id, dealer, name
    )
    insert into service (client, dealer, name, expiry) select id, dealer, name, ${client.expiry} from made
    returning client as id`
  const id = made?.id as number
  if (client.polled !== null) {
    const polled = new Date(world.clock.now.getTime() - client.polled * 1_000)
    await world.server
      .sql`insert into presence (client, polled, answered) values (${id}, ${polled}, ${polled})`
  }
  return id
}

// A simple model of the rules, with which the result of every plan is compared.

function matches(client: Client, term: string, isAdmin: boolean): boolean {
  const fields = [client.name, client.description, client.phone, client.expiry.slice(0, 10)]
  if (client.mac) fields.push(client.mac, client.mac.replaceAll(':', ''))
  if (isAdmin) fields.push(client.dealer)
  const terms = [term, MACS[term] ?? term].map((one) => one.toLowerCase())
  return fields.some((field) => terms.some((one) => field.toLowerCase().includes(one)))
}

function isIn({ expiry, polled }: Client, filter: ListFilter, now: Date): boolean {
  if (filter === 'online') return polled !== null && polled < 300
  const state = expiryState(expiry, now)
  return filter === 'all' || state === filter || (filter === 'active' && state === 'expiring')
}

function inOrder(some: Client[], { sort, order }: ListQuery): Client[] {
  const key = (client: Client) => {
    const value =
      sort === 'name' || sort === 'expiry' ? client[sort] : sort === 'status' ? client.status : client[sort]
    return typeof value === 'boolean'
      ? Number(value)
      : typeof value === 'string'
        ? value.toLowerCase()
        : value
  }
  const compare = (a: Client, b: Client) => {
    const [one, other] = [key(a), key(b)]
    if (one !== other) {
      // Those without a MAC come after all others.
      if (one === null) return 1
      if (other === null) return -1
      return one < other ? -1 : 1
    }
    return a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1
  }
  const sorted = [...some].sort(compare)
  return order === 'asc' ? sorted : sorted.reverse()
}

/** Parts of MACs as people type them, and as they are stored. */
const MACS: Record<string, string> = {
  '7b bc': '7B:BC',
  'MAC: 00-1A-79-06': '00:1A:79:06',
}

const TERMS = [
  ...Object.keys(MACS),
  '',
  'k',
  'ey',
  'kitchen',
  'ey1',
  '79',
  '1',
  '-',
  '00:1a:79:0',
  '41655',
  'zz',
  '-X',
  'a:',
  '2026-',
  '-0',
  'T',
]

describe.each<[string, Partial<Bounds>]>([
  ['few are all', {}],
  ['every match may be collected', { few: 0, own: 0 }],
  ['at most 30 matches may be collected', { few: 0, own: 0, collected: 30 }],
  ['no match may be collected', { few: 0, own: 0, collected: 0 }],
  [
    'no match may be collected and no walk is long enough',
    { few: 0, own: 0, collected: 0, skipped: 1, skippedByName: 1 },
  ],
  ['two letters are found by their index', { few: 0, own: 0, paired: 0 }],
])('a search of clients, when %s', (_how, some) => {
  const bounds = { ...BOUNDS, ...some }

  test.each(TERMS.map((search, nth) => ({ search, nth })))(
    'finds exactly what a plain filter and sort find: $search',
    async ({ search, nth }) => {
      const { server } = world
      const { now } = world.clock
      for (const who of ['admin', 'dealer'] as const) {
        const person = who === 'admin' ? world.admin : (dealers[0] as Person)
        const own = clients.filter(({ dealer }) => who === 'admin' || dealer === person.name)
        const found = own.filter((client) => matches(client, search, who === 'admin'))
        for (const [nr, sort] of ANY_CLIENT_SORTS.entries()) {
          for (const [at, filter] of LIST_FILTERS.entries()) {
            // `npm run faults` tries every order and filter with each term; here half of them, in turn.
            if (!THOROUGH && ((nr * LIST_FILTERS.length + at) / 2 + nth) % 2 < 1) continue
            // Every second term counts on, so that each of these pairs is tried in both directions and on three pages.
            const turn = nr + at + Math.floor(nth / 2)
            const order = turn % 2 === 0 ? 'asc' : 'desc'
            const page = 1 + (turn % 3)
            const query: ListQuery = { search, sort, order, filter, page, per_page: 9 }
            const answer = await begin(server.sql, (sql) => findPage(contextOf(sql, person), query, bounds))
            const all = inOrder(
              found.filter((client) => isIn(client, filter, now)),
              query,
            )
            const expected = all.slice((page - 1) * 9, page * 9).map(({ id }) => id)
            expect(answer, JSON.stringify({ who, ...query })).toEqual({
              counts: Object.fromEntries(
                CLIENT_FILTERS.map((one) => [one, found.filter((client) => isIn(client, one, now)).length]),
              ),
              count: all.length,
              capped: false,
              ids: expected,
            })
          }
        }
      }
    },
  )
})

test.each<[string, Partial<Bounds>]>([
  ['many have to be skipped', { skipped: 0, sorted: 0 }],
  ['those in a state are sorted', { skipped: 0 }],
  ['none has to be skipped', {}],
])(
  'a page anywhere in all clients, where %s, has exactly what a plain filter and sort have there',
  async (_where, some) => {
    const bounds = { ...BOUNDS, ...some }
    const { now } = world.clock
    for (const person of [world.admin, dealers[0] as Person]) {
      const own = clients.filter(({ dealer }) => person === world.admin || dealer === person.name)
      for (const sort of ANY_CLIENT_SORTS) {
        for (const filter of CLIENT_FILTERS) {
          for (const order of ['asc', 'desc'] as const) {
            const query: ListQuery = { search: '', sort, order, filter, page: 1, per_page: 4 }
            const ids = inOrder(
              own.filter((client) => isIn(client, filter, now)),
              query,
            ).map(({ id }) => id)
            for (let page = 1; page <= ids.length / 4 + 2; page += 5) {
              const found = await begin(world.server.sql, (sql) =>
                findPage(contextOf(sql, person), { ...query, page }, bounds),
              )
              const expected = ids.slice((page - 1) * 4, page * 4)
              expect(found.ids, JSON.stringify({ who: person.role, ...query, page })).toEqual(expected)
            }
          }
        }
      }
    }
  },
)

test('reading a limited number of clients in list order gives the same page as a plain filter and sort, or null if they do not fill it', async () => {
  const { now } = world.clock
  for (const person of [world.admin, dealers[0] as Person]) {
    const own = clients.filter(({ dealer }) => person === world.admin || dealer === person.name)
    for (const [nr, sort] of ANY_CLIENT_SORTS.entries()) {
      for (const filter of CLIENT_FILTERS) {
        const order = nr % 2 === 0 ? 'asc' : 'desc'
        const query: PageQuery = { search: 'ey', sort, order, filter, page: 2, per_page: 9 }
        const all = inOrder(
          own.filter((client) => isIn(client, filter, now)),
          query,
        )
        const walk = (most: number) =>
          begin(world.server.sql, async (sql) => {
            const context = contextOf(sql, person)
            return walkToPage(context, query, (await readSearch(context, 'ey')) as Search, most)
          })
        const ids = all.slice(9, 18).map(({ id }) => id)
        expect(await walk(MANY), JSON.stringify(query)).toEqual(ids.length === 9 ? ids : null)
        expect(await walk(17), JSON.stringify(query)).toBeNull()
      }
    }
  }
})

test('where each state has more clients than are counted, a search counts no further, and finds the same page', async () => {
  const world = await openWorld()
  try {
    const { server, clock } = world
    const { dealer } = await world.family()
    await world.plantClients(dealer, { prefix: 'crowd-', last: 31_000 })
    await server.ownerSql`
      update service set expiry = ${clock.now}::timestamptz + make_interval(days => (array[-5, 5, 50])[client % 3 + 1])`
    await server.ownerSql`analyze directory, service, client`
    const ask = <Result>(work: (context: Context) => Promise<Result>) =>
      begin(server.sql, (sql) => work({ ...contextOf(sql, dealer), now: clock.now }))
    const areMany = (met: number) =>
      ask(async (context) => areManyOfEach(context, (await readSearch(context, 'crowd')) as Search, met))
    expect(await areMany(31_000)).toBe(true)
    expect(await areMany(29_000)).toBe(false)
    for (const [search, sort] of [
      ['crowd', 'name'],
      ['owd-3', 'name'],
      ['crowd', 'expiry'],
      ['wd-29', 'description'],
    ] as const) {
      for (const filter of CLIENT_FILTERS) {
        const query: ListQuery = { search, sort, order: 'desc', filter, page: 3, per_page: 10 }
        const found = (bounds: Partial<Bounds>) =>
          ask((context) => findPage(context, query, { ...BOUNDS, skipped: 40, ...bounds }))
        expect(await found({ margin: 1 }), JSON.stringify(query)).toEqual(
          await found({ margin: Number.POSITIVE_INFINITY }),
        )
      }
    }
  } finally {
    await world.close()
  }
})

test('two letters that few of many clients have are found by their index, wherever they stand', async () => {
  const world = await openWorld()
  try {
    const { server, clock } = world
    const { dealer } = await world.family()
    await world.plantClients(dealer, { prefix: 'crowd-', last: 21_000 })
    await server.ownerSql`
      update client set description = 'Qx wü😀', phone = '+77991', ministra = false, mac = '00:1A:79:EF:EF:EF' where name = 'crowd-20999'`
    await server.ownerSql`analyze directory`
    const uses = async () => {
      await server.ownerSql`select pg_stat_force_next_flush()`
      const [index] = await server.ownerSql<{ uses: number }[]>`
        select idx_scan as uses from pg_stat_user_indexes where indexrelname = 'directory_pairs'`
      return index?.uses ?? 0
    }
    for (const search of ['qX', 'x ', 'WÜ', 'ü😀', '+7', '91', 'fe', ':e']) {
      const before = await uses()
      const query: ListQuery = {
        search: `${search}`,
        sort: 'name',
        order: 'asc',
        filter: 'all',
        page: 1,
        per_page: 10,
      }
      const { count } = await begin(server.sql, async (sql) => {
        const found = await findPage({ ...contextOf(sql, dealer), now: clock.now }, query)
        await sql`select pg_stat_force_next_flush()`
        return found
      })
      const [expected] = await server.ownerSql<{ count: number }[]>`
        select count(*) from directory where position(lower(${search.trim()}) in text) > 0`
      expect(count, search).toBe(expected?.count)
      // One letter has no pair: '+7' also asks for the 7 of a phone.
      if (search.trim().length > 1 && search !== '+7')
        await expect.poll(uses, { message: search }).toBeGreaterThan(before)
    }
  } finally {
    await world.close()
  }
})

test('an ANALYZE samples the texts of clients, but not their pairs of letters, which would take it ten times as long', async () => {
  const { dealer } = await world.family()
  await world.plantClients(dealer, { last: 100 })
  await world.server.ownerSql`analyze directory`
  const sampled = await world.server.ownerSql`
    select tablename from pg_stats where attname in ('text', 'letter_pairs') and tablename like 'directory%'`
  expect(sampled.map(({ tablename }) => tablename)).toEqual(['directory'])
})

test('the pairs of letters of what the index has found are not looked for again in each text', async () => {
  const world = await openWorld()
  try {
    const { dealer } = await world.family()
    await world.plantClients(dealer, { prefix: 'crowd-', last: 2_000 })
    await world.server.ownerSql`analyze directory`
    // The name of the dealer has the first two, too; the others are searched in two forms.
    for (const letters of [dealer.name.slice(0, 2), '+79', 'né']) {
      const plan = await begin(world.server.sql, async (sql) => {
        const context = { ...contextOf(sql, world.admin), now: world.clock.now }
        const { indexedMatches } = (await readSearch(context, letters)) as Search
        await sql`set local enable_seqscan = off`
        const lines = await sql<{ 'QUERY PLAN': string }[]>`
          explain select count(*) from directory entry where ${indexedMatches}`
        return lines.map((line) => line['QUERY PLAN'])
      })
      const tested = plan.filter((line) => line.includes(' Filter:'))
      expect(plan.join('\n'), letters).toContain('Bitmap Index Scan on directory_pairs')
      expect(plan.join('\n'), letters).not.toContain('directory_text')
      expect(tested, letters).toEqual([expect.stringContaining('textlike')])
      expect(tested[0], letters).not.toContain('letter_pairs')
    }
  } finally {
    await world.close()
  }
})

test.each([
  ['browses on the first pages', 'expiry', 600, 'browse'],
  ['jumps into the middle of expiries', 'expiry', 50_000, 'jump'],
  ['jumps into the middle of dealers', 'dealer', 50_000, 'jump'],
  ['browses on the last pages, from the end', 'expiry', 99_500, 'browse'],
  ['skips to the middle by name, which nothing is counted by', 'name', 50_000, 'skip'],
] as const)('a list of a million clients %s', (_claim, sort, page, plan) => {
  const query: PageQuery = { search: '', sort, order: 'asc', filter: 'all', page, per_page: 10 }
  const counts = { all: 1_000_000, active: 700_000, expiring: 100_000, expired: 300_000 }
  expect(chooseUnsearched(query, counts)).toBe(plan)
})

test.each([
  ['the first page of 20 expired clients', { page: 1, sort: 'name' }, 20, 'sort'],
  ['the same in their own order', { page: 1, sort: 'expiry' }, 20, 'browse'],
  ['the first page of 10,000', { page: 1, sort: 'name' }, 10_000, 'browse'],
  ['the middle of 10,000', { page: 500, sort: 'mac' }, 10_000, 'sort'],
  ['the middle of 100,000', { page: 5_000, sort: 'mac' }, 100_000, 'skip'],
] as const)('among a million clients, the quickest plan is chosen for %s', (_which, some, expired, plan) => {
  const query: PageQuery = { search: '', order: 'asc', filter: 'expired', per_page: 10, ...some }
  const counts = { all: 1_000_000, active: 1_000_000 - expired, expiring: 100_000, expired }
  expect(chooseUnsearched(query, counts)).toBe(plan)
})

test.each([
  ['active', 'skip'],
  ['expiring', 'browse'],
  ['expired', 'skip'],
] as const)(
  'a page in the middle of the %s ones of four million clients is found by a plan that lists at most 500,000: %s',
  (filter, plan) => {
    const query: PageQuery = { search: '', sort: 'name', order: 'asc', filter, page: 20_000, per_page: 10 }
    const counts = { all: 4_000_000, active: 3_600_000, expiring: 600_000, expired: 400_000 }
    expect(chooseUnsearched(query, counts)).toBe(plan)
  },
)

test('few clients of a dealer are read one by one, and many are found by the index of letters', async () => {
  const world = await openWorld()
  try {
    const { server, clock } = world
    const [few, many] = [(await world.family()).dealer, (await world.family()).dealer]
    await world.plantClients(few, { prefix: 'few-', last: 20 })
    await world.plantClients(many, { prefix: 'many-', last: 3_000 })
    await server.ownerSql`analyze directory`
    const usesLetters = (person: Person) =>
      begin(server.sql, async (sql) => {
        const context = { ...contextOf(sql, person), now: clock.now }
        const query = {
          search: '-17',
          sort: 'name',
          order: 'asc',
          filter: 'all',
          page: 1,
          per_page: 10,
        } as const
        expect((await findPage(context, query)).count).toBeGreaterThan(0)
        const [setting] = await sql`show enable_bitmapscan`
        return setting?.enable_bitmapscan
      })
    expect(await usesLetters(few)).toBe('off')
    expect(await usesLetters(many)).toBe('on')
  } finally {
    await world.close()
  }
})

function contextOf(sql: Context['sql'], { id, name, role }: Person): Context {
  const account = { id, name, role } as Context['account']
  return { sql, account, now: world.clock.now, business: { zone: world.server.config.timeZone } } as Context
}

describe('a search', () => {
  const byName: PageQuery = { search: 'x', sort: 'name', order: 'asc', filter: 'all', page: 1, per_page: 10 }
  const countsOf = (all: number) => ({ all, active: all, expiring: 0, expired: 0 })
  const none = countsOf(0)

  test.each([
    ['scans where most of 100,000 clients match', byName, 100_000, 90_000, none, 'scan'],
    ['collects where few of them match', byName, 100_000, 50, none, 'collect'],
    [
      'collects for a page that many have to be skipped for',
      { ...byName, page: 5_000 },
      100_000,
      90_000,
      none,
      'collect',
    ],
    [
      'collects where those that match by expiry may lie at the far end',
      { ...byName, sort: 'expiry' },
      100_000,
      0,
      countsOf(60_000),
      'collect',
    ],
    ['collects a tenth of a million', byName, 1_000_000, 100_000, none, 'collect'],
    ['caps the counts where half of a million match', byName, 1_000_000, 500_000, none, 'cap'],
    [
      'merges in the order of expiries where more than 200,000 match by expiry and few by text',
      { ...byName, sort: 'expiry' },
      1_000_000,
      10,
      countsOf(250_000),
      'merge',
    ],
    [
      'caps the counts in the order of expiries where half of a million match by text',
      { ...byName, sort: 'expiry' },
      1_000_000,
      500_000,
      countsOf(250_000),
      'cap',
    ],
    [
      'caps the counts in the order of names where more than 200,000 match by expiry',
      byName,
      1_000_000,
      10,
      countsOf(250_000),
      'cap',
    ],
  ] as const)('%s', (_claim, query, all, expected, ofExpiries, plan) => {
    expect(choosePlan(query, { all: countsOf(all), expected, ofExpiries })).toBe(plan)
  })
})
