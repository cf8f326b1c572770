import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, type InputOf } from '../../../contract/calls.ts'
import { CLIENT_SORTS } from '../../../contract/shapes.ts'
import { DAY_MS } from '../../../contract/time.ts'
import { type Family, openWorld, type Person, type World } from '../../../test/support/world.ts'

const { list } = calls.clients
type Query = Omit<InputOf<typeof list>, 'page' | 'per_page'> & { page?: number; per_page?: number }

let world: World
let family: Family
let dealer: Person
beforeAll(async () => {
  // An evening in Toronto is the next day in UTC, so a date in UTC would be wrong.
  world = await openWorld({ env: { TIME_ZONE: 'America/Toronto', TRIALS_PER_DAY: '1000' } })
  family = await world.family({ credits: 100 })
  dealer = family.dealer
  const add = (login: string, more: object) => world.client(dealer, { login, ...more })
  await add('anna.silva', {
    desc: 'Kitchen 100%',
    stb_mac: '00:1A:79:AB:CD:01',
    phone: '(416) 555-0199',
    months: 1,
  })
  await add('Bruno_7', { desc: 'kitchen_box', stb_mac: '00:1A:79:AB:CD:02', phone: '9055550123', months: 2 })
  await add('carla', { desc: 'ÉTÉ \\ Istanbul', ministra: true, months: 0, phone: '+44 20 7946 0958' })
  await add('DIANA', { desc: 'İzmir', stb_mac: '00:1A:79:00:00:03', months: '2d' })
  await add('eduardo', { desc: '', stb_mac: '00:1A:79:00:00:04', months: 3 })
  await world.setExpiry('eduardo', '2026-05-02T03:59:59.000Z')
  await dealer.call(calls.clients.save, { login: 'Bruno_7', status: false })
  const gone = await add('removed', { desc: 'kitchen gone' })
  await world.admin.call(calls.admin.remove, { name: gone.name })
  await world.client((await world.family()).dealer, { login: 'stranger', desc: 'kitchen of another' })
})
afterAll(() => world.close())

/** Returns the names on the first page of the dealer's list. */
async function names(query: Query): Promise<string[]> {
  return (await dealer.call(list, query)).data.map(({ name }) => name)
}

const ALL = ['anna.silva', 'Bruno_7', 'carla', 'DIANA', 'eduardo']

test("a list has the dealer's clients, sorted by name in any case, 10 on a page", async () => {
  const page = await dealer.call(list)
  expect(page).toMatchObject({ count: 5, count_capped: false, current_page: 1, per_page: 10, total_pages: 1 })
  expect(page.data.map(({ name }) => name)).toEqual(ALL)
  expect(page.data[1]).toEqual({
    name: 'Bruno_7',
    description: 'kitchen_box',
    mac: '00:1A:79:AB:CD:02',
    ministra: false,
    expiry: '2026-07-16T03:59:59.000Z',
    status: false,
    phone: '9055550123',
    package_selection: 1,
    online: false,
  })
})

test('a list marks who is online, and has them alone with that filter', async () => {
  const polled = async (name: string, secondsAgo: number) => {
    const at = new Date(world.clock.now.getTime() - secondsAgo * 1_000)
    await world.server.sql`
      insert into presence (client, polled, answered) select id, ${at}, ${at} from client where name = ${name}
      on conflict (client) do update set polled = excluded.polled`
  }
  for (const [name, ago] of Object.entries({ carla: 0, DIANA: 299, eduardo: 300, stranger: 1 })) {
    await polled(name, ago)
  }
  const { data } = await dealer.call(list)
  expect(data.filter(({ online }) => online).map(({ name }) => name)).toEqual(['carla', 'DIANA'])
  const page = await dealer.call(list, { filter: 'online', order: 'desc', per_page: 1 })
  expect(page).toMatchObject({ count: 2, total_pages: 2, counts: { all: 5, expired: 1 } })
  expect(page.data.map(({ name }) => name)).toEqual(['DIANA'])
  expect(await names({ filter: 'online', search: 'istanbul' })).toEqual(['carla'])
  const all = await world.admin.call(calls.admin.clients, { filter: 'online' })
  expect(all.data.map(({ name }) => name)).toEqual(['carla', 'DIANA', 'stranger'])
  // An empty table, as after a crash, leaves nobody online.
  await world.server.ownerSql`truncate presence`
  expect(await names({ filter: 'online' })).toEqual([])
})

test('a search finds a Greek name in capitals and small letters, and a copied space', async () => {
  const { dealer } = await world.family({ credits: 3 })
  const descriptions = ['ΓΙΩΡΓΟΣ', 'Πασχάλης Νίκος', 'ΠΑΣΧΑΛΗΣ']
  for (const [at, desc] of descriptions.entries()) await world.client(dealer, { login: `greek-${at}`, desc })
  await world.client(dealer, { login: 'copied' })
  await world.server.ownerSql`update client set description = 'Ana\u00a0Silva' where name = 'copied'`
  const found = async (search: string) =>
    (await dealer.call(calls.clients.list, { search })).data.map(({ name }) => name)
  expect(await found('γιωργος')).toEqual(['greek-0'])
  expect(await found('γιωργοσ')).toEqual(['greek-0'])
  expect(await found('ΠΑΣΧΆΛΗΣ ΝΊΚΟΣ')).toEqual(['greek-1'])
  expect(await found('πας')).toEqual(['greek-1', 'greek-2'])
  expect(await found('χαλης')).toEqual(['greek-2'])
  expect(await found('Ana\u00a0Silva')).toEqual(['copied'])
})

describe('a search', () => {
  test.each<[string, string, string[]]>([
    ['the name', 'BRUNO', ['Bruno_7']],
    ['a part of the name', '.sil', ['anna.silva']],
    ['the description', 'KITCHEN', ['anna.silva', 'Bruno_7']],
    ['letters beyond ASCII', 'été', ['carla']],
    ['an accent in its other form', 'e\u0301te\u0301', ['carla']],
    ['letters whose lower case is another length', 'İZMİR', ['DIANA']],
    ['the MAC with colons', 'ab:cd', ['anna.silva', 'Bruno_7']],
    ['the MAC without colons', '1a79ABCD02', ['Bruno_7']],
    ['the whole MAC', '00:1a:79:00:00:03', ['DIANA']],
    ['phone digits', '4165550199', ['anna.silva']],
    ['a phone as it is typed', '(416) 555-01', ['anna.silva']],
    ['a phone with a plus', '+905', ['Bruno_7']],
    ['a phone with the 1 of its country', '+1 (416) 555', ['anna.silva']],
    ['a phone with the 1 and no plus', '1 416 555 0199', ['anna.silva']],
    ['a phone as from abroad', '001 416 555 0199', ['anna.silva']],
    ['a phone from abroad by its first digits', '+44 20', ['carla']],
    ['a phone from abroad as it was typed', '+44 20 7946 0958', ['carla']],
    ['a phone from abroad with the 0 of its own country', '+44 (0)20 7946', ['carla']],
    ['a phone with what copied text has', '\u200e416\u2011555\u20110199', ['anna.silva']],
    ['a phone from abroad with 00', '0044 20 7946 0958', ['carla']],
    ['a phone from abroad by a run of its digits', '79460', ['carla']],
    ['a phone from abroad by digits in groups', '7946 0958', ['carla']],
    ['the expiry date', '2026-06-15', ['anna.silva']],
    ['the month of the expiry', '2026-05-', ['carla', 'DIANA', 'eduardo']],
    ['the date in the zone, not in UTC', '2026-05-01', ['eduardo']],
    ['a percent sign as itself', '%', ['anna.silva']],
    ['an underscore as itself', '_', ['Bruno_7']],
    ['a backslash as itself', '\\', ['carla']],
    ['blanks around', '  kitchen_ ', ['Bruno_7']],
    ['nothing', '', ALL],
    ['what is nowhere', 'zzz', []],
    ['a quote', "' or 1=1 --", []],
  ])('finds %s: %j', async (_what, search, found) => {
    expect(await names({ search })).toEqual(found)
  })

  test('accepts at most 100 characters', async () => {
    expect(await names({ search: 'x'.repeat(100) })).toEqual([])
    const { errors } = await dealer.refused('invalid_input', list, { search: 'x'.repeat(101) })
    expect(errors).toEqual({ search: 'Search takes at most 100 characters' })
  })

  test('never matches across two fields', async () => {
    expect(await names({ search: 'silvaKitchen' })).toEqual([])
    expect(await names({ search: 'silva\nKitchen' })).toEqual([])
  })
})

describe('a filter', () => {
  test('finds the clients in a state; the active ones include the expiring ones', async () => {
    expect(await names({ filter: 'all' })).toEqual(ALL)
    expect(await names({ filter: 'active' })).toEqual(['anna.silva', 'Bruno_7', 'carla', 'DIANA'])
    expect(await names({ filter: 'expiring' })).toEqual(['carla', 'DIANA'])
    expect(await names({ filter: 'expired' })).toEqual(['eduardo'])
  })

  test("changes the list's count, but not the counts of all filters", async () => {
    const counts = { all: 5, active: 4, expiring: 2, expired: 1 }
    expect(await dealer.call(list, { filter: 'expired' })).toMatchObject({ count: 1, counts })
    expect(await dealer.call(list, { filter: 'expired', search: 'kitchen' })).toMatchObject({
      count: 0,
      counts: { all: 2, active: 2, expiring: 0, expired: 0 },
    })
  })

  test('changes at the same moments as expiryState()', async () => {
    const { dealer } = await world.family()
    const { name } = await world.client(dealer)
    const state = async (ms: number) => {
      await world.setExpiry(name, new Date(world.clock.now.getTime() + ms).toISOString())
      const { counts } = await dealer.call(list)
      return counts.expired === 1 ? 'expired' : counts.expiring === 1 ? 'expiring' : 'active'
    }
    expect(await state(-1)).toBe('expired')
    expect(await state(0)).toBe('expiring')
    expect(await state(11 * DAY_MS - 1)).toBe('expiring')
    expect(await state(11 * DAY_MS)).toBe('active')
  })
})

describe('the query of a list', () => {
  test.each<[Query, string[]]>([
    [{ sort: 'name', order: 'desc' }, [...ALL].reverse()],
    [{ sort: 'description' }, ['eduardo', 'DIANA', 'anna.silva', 'Bruno_7', 'carla']],
    [{ sort: 'mac' }, ['DIANA', 'eduardo', 'anna.silva', 'Bruno_7', 'carla']],
    [{ sort: 'ministra', order: 'desc' }, ['carla', 'eduardo', 'DIANA', 'Bruno_7', 'anna.silva']],
    [{ sort: 'expiry' }, ['eduardo', 'carla', 'DIANA', 'anna.silva', 'Bruno_7']],
    [{ sort: 'status' }, ['Bruno_7', 'anna.silva', 'carla', 'DIANA', 'eduardo']],
  ])('sorts by %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test.each<object>([
    { sort: 'dealer' },
    { sort: 'password' },
    { order: 'up' },
    { filter: 'gone' },
    { page: 0 },
    { page: 'x' },
    { page: 1.5 },
    { per_page: 501 },
    { per_page: 0 },
    { limit: 5 },
  ])('accepts only the values that the call has: not %j', async (query) => {
    const answer = await dealer.send(list, query)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ errors: { [Object.keys(query)[0] as string]: expect.any(String) } })
  })
})

describe('a page', () => {
  test('continues the page before it without a gap or a duplicate, in every order', async () => {
    for (const sort of CLIENT_SORTS) {
      for (const order of ['asc', 'desc'] as const) {
        const whole = await dealer.call(list, { per_page: 500, sort, order })
        const seen = []
        for (let page = 1; page <= 3; page += 1) {
          const got = await dealer.call(list, { page, per_page: 2, sort, order })
          expect(got).toMatchObject({ current_page: page, per_page: 2, total_pages: 3, count: 5 })
          seen.push(...got.data)
        }
        expect(seen, `by ${sort}, ${order}`).toEqual(whole.data)
      }
    }
  })

  test('past the end is empty and gives the number of pages', async () => {
    expect(await dealer.call(list, { page: 1_000_000, per_page: 500 })).toMatchObject({
      data: [],
      count: 5,
      current_page: 1_000_000,
      total_pages: 1,
    })
  })
})

describe("the admin's list", () => {
  test('has the clients of all dealers, each with the name of its dealer', async () => {
    const { data } = await world.admin.call(calls.admin.clients, { search: 'kitchen' })
    expect(data.map(({ name, dealer }) => [name, dealer === family.dealer.name])).toEqual([
      ['anna.silva', true],
      ['Bruno_7', true],
      ['stranger', false],
    ])
  })

  test('can be searched and sorted by dealer', async () => {
    const search = family.dealer.name.toUpperCase()
    const found = await world.admin.call(calls.admin.clients, { search })
    expect(found.data.map(({ name }) => name)).toEqual(ALL)
    const { data } = await world.admin.call(calls.admin.clients, {
      sort: 'dealer',
      order: 'desc',
      per_page: 500,
    })
    const dealers = data.map(({ dealer }) => dealer.toLowerCase())
    expect(dealers).toEqual([...dealers].sort().reverse())
  })

  test("does not search the dealer's name for a dealer", async () => {
    expect(await names({ search: family.dealer.name })).toEqual([])
  })
})

test('the count of a search is exact to 10,000, and says when there are more', async () => {
  const { dealer } = await world.family()
  await world.client(dealer)
  await world.plantClients(dealer, { prefix: 'bulk-', last: 10_000 })
  const query = { search: 'bulk', per_page: 500 }
  expect(await dealer.call(list, query)).toMatchObject({
    count: 10_000,
    count_capped: false,
    total_pages: 20,
  })
  await world.plantClients(dealer, { prefix: 'bulk-', first: 10_001, last: 10_001 })
  expect(await dealer.call(list, query)).toMatchObject({
    count: 10_000,
    count_capped: true,
    total_pages: 20,
    counts: { all: 10_000, active: 10_000, expiring: 10_000, expired: 0 },
  })
  // With more matches than are counted, the last page still ends the list, and a page past it is empty.
  const last = await dealer.call(list, { ...query, page: 20, order: 'desc' })
  expect(last.data.at(-1)?.name).toBe('bulk-10')
  expect((await dealer.call(list, { ...query, page: 21 })).data).toEqual([])
  expect(await dealer.call(list)).toMatchObject({ count: 10_002, count_capped: false, total_pages: 1_001 })
})

test('the last page of more than 10,000 who are online has them', async () => {
  const { dealer } = await world.family()
  await world.plantClients(dealer, { last: 10_020, digits: 5 })
  const at = world.clock.now
  await world.server.sql`
    insert into presence (client, polled, answered) select id, ${at}, ${at} from client where dealer = ${dealer.id}`
  const page = { filter: 'online', per_page: 10 } as const
  const first = await dealer.call(list, page)
  expect(first).toMatchObject({ count: 10_020, count_capped: false, total_pages: 1_002 })
  const last = await dealer.call(list, { ...page, page: 1_002 })
  expect(last.data.map(({ name }) => name)).toEqual(
    Array.from({ length: 10 }, (_, nr) => `many-${10_011 + nr}`),
  )
  expect((await dealer.call(list, { ...page, page: 1_003 })).data).toEqual([])
  // Of a search, 10,000 have pages.
  expect((await dealer.call(list, { ...page, search: 'many', page: 1_001 })).data).toEqual([])
})
