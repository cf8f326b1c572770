import { describe, expect, test } from 'vitest'
import { calls, type OutputOf } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { signOf } from '../../contract/transactions.ts'
import { type Person, suiteWorld } from '../../test/support/world.ts'

type Rows = OutputOf<typeof calls.clients.history>

const world = await suiteWorld()

const own = (person: Person): Promise<Rows> => person.call(calls.desk[person.role].transactions)
const brief = (rows: Rows) => rows.map(({ type, credits, login, actor }) => [type, credits, login, actor])

describe('transactions', () => {
  test("are an account's own and those of everything beneath it, newest first, and no others", async () => {
    await world.family({ credits: 4 })
    const { superreseller, reseller, dealer } = await world.family({ credits: 3 })
    const sibling = await world.child(reseller)
    const { name } = await world.client(dealer, { months: 2 })
    await dealer.call(calls.clients.retrieve, { login: name, credits: 1 })
    await reseller.call(calls.level.dealer.save, { name: dealer.name, credits: 1, transaction: 1 })
    const rows = {
      issued: ['ADD', 3, superreseller.name, 'admin'],
      passed: ['ADD', 3, reseller.name, superreseller.name],
      added: ['ADD', 3, dealer.name, reseller.name],
      used: ['USED', 2, name, dealer.name],
      retrieved: ['RETRIEVED', 1, name, dealer.name],
      removed: ['REMOVE', 1, dealer.name, reseller.name],
    }
    const { issued, passed, added, used, retrieved, removed } = rows
    const ofDealer = [removed, retrieved, used, added]
    const ofReseller = [...ofDealer, passed]
    const ofSuperreseller = [...ofReseller, issued]
    expect(brief(await own(dealer))).toEqual(ofDealer)
    expect(brief(await own(sibling))).toEqual([])
    expect(brief(await own(reseller))).toEqual(ofReseller)
    expect(brief(await own(superreseller))).toEqual(ofSuperreseller)
    expect(brief(await own(world.admin)).slice(0, 6)).toEqual(ofSuperreseller)
    // The account's owner reads the same rows as the account's history, but for the pages that they lead to.
    const written = (all: Rows) => all.map(({ client: _, account: __, ...row }) => row)
    for (const [parent, child] of [
      [reseller, dealer],
      [superreseller, reseller],
      [world.admin, superreseller],
    ] as const) {
      const { history } = calls.level[child.role as LevelName]
      expect(written(await parent.call(history, { name: child.name.toUpperCase() }))).toEqual(
        written(await own(child)),
      )
    }
  })

  test('are those of an account or of a client, and not of both', async () => {
    const { reseller, dealer } = await world.family({ credits: 2 })
    const { name } = await world.client(dealer, { months: 1 })
    for (const call of [calls.transactions.list, calls.transactions.sums]) {
      const both = { account: dealer.name, client: name }
      const { errors } = await dealer.refused('invalid_input', call, both)
      expect(errors).toEqual({ account: 'Choose an account or a client.' })
    }
    await reseller.call(calls.transactions.list, { account: dealer.name })
    await dealer.call(calls.transactions.list, { client: name })
  })

  test("name nobody above the reader's direct parent", async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 2 })
    const { name } = await world.client(dealer, { months: 1 })
    // The admin may remove any client, but accounts below the superresellers must not see its name.
    await world.admin.call(calls.admin.remove, { name })
    const actorsSeenBy = async (person: Person) =>
      (await own(person)).map(({ actor }) => actor).slice(0, person === world.admin ? 5 : undefined)
    const { admin } = world
    const all = [admin, dealer, reseller, superreseller, admin].map((person) => person.name)
    expect(await actorsSeenBy(admin)).toEqual(all)
    expect(await actorsSeenBy(superreseller)).toEqual(all)
    expect(await actorsSeenBy(reseller)).toEqual(['—', dealer.name, reseller.name, superreseller.name])
    expect(await actorsSeenBy(dealer)).toEqual(['—', dealer.name, reseller.name])
    const ofDealer = await reseller.call(calls.level.dealer.history, { name: dealer.name })
    expect(ofDealer.map(({ actor }) => actor)).toEqual(['—', dealer.name, reseller.name])
  })

  test('keep the description, login and MAC as they were when they were written', async () => {
    const { dealer, superreseller } = await world.family({ credits: 2 })
    const { name, mac } = await world.client(dealer, { months: 1, desc: 'Before' })
    await dealer.call(calls.clients.save, { login: name, desc: 'After', ministra: true })
    await dealer.call(calls.clients.renew, { name, months: 1 })
    await world.admin.call(calls.admin.remove, { name })
    const rows = (await own(superreseller)).filter(({ login }) => login === name)
    expect(rows.map(({ type, mac, description, actor }) => [type, mac, description, actor])).toEqual([
      ['DELETE', null, 'After', 'admin'],
      ['USED', null, 'After', dealer.name],
      ['USED', mac, 'Before', dealer.name],
    ])
  })

  test('of one moment are sorted as they were written', async () => {
    const { dealer } = await world.family({ credits: 3 })
    const clients = [await world.client(dealer), await world.client(dealer), await world.client(dealer)]
    await dealer.call(calls.clients.multirenew, { clients: clients.map(({ name }) => name), months: 1 })
    const ids = (await own(dealer)).map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
  })

  test('are the newest 1,000', async () => {
    const { dealer } = await world.family({ credits: 1_001 })
    const { name } = await world.client(dealer)
    await world.plantClients(dealer, { last: 1_000 })
    const clients = Array.from({ length: 1_000 }, (_, index) => `many-${index + 1}`)
    await dealer.call(calls.clients.multirenew, { clients, months: 1 })
    world.clock.pass({ seconds: 1 })
    await dealer.call(calls.clients.renew, { name, months: 1 })
    const rows = await own(dealer)
    expect(rows).toHaveLength(1_000)
    expect(rows[0]).toMatchObject({ type: 'USED', login: name, created: world.clock.now.toISOString() })
    expect(rows.at(-1)).toMatchObject({ type: 'USED', login: 'many-2' })
  })
})

describe('all transactions', () => {
  const { list, sums } = calls.transactions

  /** A branch with one row of every type, on three days. */
  async function openBranch() {
    const family = await world.family({ credits: 9 })
    const { superreseller, reseller, dealer } = family
    const sibling = await world.child(reseller)
    world.clock.pass({ days: 1 })
    const client = await world.client(dealer, { months: 4, desc: 'The 100% pub' })
    await dealer.call(calls.clients.retrieve, { login: client.name, credits: 1 })
    world.clock.pass({ days: 1 })
    await world.client(sibling)
    await reseller.call(calls.level.dealer.save, { name: dealer.name, credits: 2, transaction: 1 })
    await world.admin.call(calls.admin.remove, { name: client.name })
    return { ...family, superreseller, sibling, client }
  }

  test('are filtered by account, type, days and text, alone and together, and summed by type', async () => {
    const { superreseller, reseller, dealer, sibling, client } = await openBranch()
    const today = world.clock.now.toISOString().slice(0, 10)
    const yesterday = new Date(world.clock.now.getTime() - 86_400_000).toISOString().slice(0, 10)
    const found = async (filter: object, by = reseller) => {
      const page = await by.call(list, filter)
      expect(page).toMatchObject({ count: page.data.length, count_capped: false, total_pages: 1 })
      const { data } = await by.call(sums, filter)
      const counted = Object.groupBy(page.data, ({ type }) => type)
      expect(data).toEqual(
        Object.keys(counted)
          .sort()
          .map((type) => {
            const rows = counted[type as keyof typeof counted] ?? []
            return {
              type,
              transactions: rows.length,
              credits: rows.reduce((sum, one) => sum + one.credits, 0),
            }
          }),
      )
      return page.data.map(({ type }) => type)
    }
    const ofDealer = ['DELETE', 'REMOVE', 'RETRIEVED', 'USED', 'ADD']
    expect(await found({})).toEqual([...ofDealer.slice(0, 2), 'TRIAL', ...ofDealer.slice(2), 'ADD'])
    expect(await found({ account: dealer.name })).toEqual(ofDealer)
    expect(await found({ account: dealer.name.toUpperCase() }, superreseller)).toEqual(ofDealer)
    expect(await found({ account: dealer.name }, dealer)).toEqual(ofDealer)
    expect(await found({ account: sibling.name })).toEqual(['TRIAL'])
    expect(await found({ type: 'ADD' })).toEqual(['ADD', 'ADD'])
    expect(await found({ account: dealer.name, type: 'ADD' })).toEqual(['ADD'])
    expect(await found({ from: yesterday, to: yesterday })).toEqual(['RETRIEVED', 'USED'])
    expect(await found({ from: today, account: dealer.name })).toEqual(['DELETE', 'REMOVE'])
    expect(await found({ search: '100%' })).toEqual(['DELETE', 'RETRIEVED', 'USED'])
    expect(await found({ search: client.mac.toLowerCase(), type: 'USED' })).toEqual(['USED'])
    expect(await found({ search: client.mac.replaceAll(':', ''), type: 'USED' })).toEqual(['USED'])
    expect(await found({ search: '_00%' })).toEqual([])
  })

  test('are refused for a last day before the first, as in the export', async () => {
    const { reseller } = await openBranch()
    for (const call of [list, sums, calls.desk.reseller.exportTransactions]) {
      const days = { from: '2026-05-27', to: '2026-05-01' }
      const { errors } = await reseller.refused('invalid_input', call, days)
      expect(errors).toEqual({ to: 'The last day is before the first' })
    }
  })

  test('are sorted and paged by the database, each row on one page', async () => {
    const { reseller } = await openBranch()
    const oldestFirst = (await reseller.call(list, {})).data.toReversed()
    const sortedBy: Record<string, (row: (typeof oldestFirst)[number]) => string> = {
      created: ({ created }) => created,
      type: ({ type }) => type,
      login: ({ login }) => login.toLowerCase(),
    }
    for (const sort of ['created', 'type', 'credits', 'login'] as const) {
      const seen = []
      for (const order of ['asc', 'desc'] as const) {
        const ids = []
        for (const page of [1, 2, 3, 4]) {
          const { data, total_pages } = await reseller.call(list, { sort, order, page, per_page: 2 })
          expect(total_pages).toBe(4)
          ids.push(...data.map(({ id }) => id))
        }
        expect(new Set(ids).size).toBe(7)
        seen.push(ids)
      }
      expect(seen[1]).toEqual(seen[0]?.toReversed())
      const keyOf = sortedBy[sort]
      if (!keyOf) continue
      expect(new Set(oldestFirst.map(keyOf)).size, `different values of ${sort}`).toBeGreaterThan(2)
      // Rows of one value have the order in which they were written.
      const sorted = oldestFirst.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))))
      expect(seen[0], `sorted by ${sort}`).toEqual(sorted.map(({ id }) => id))
    }
    expect((await reseller.call(list, { page: 9 })).data).toEqual([])
  })

  test('are sorted by credits with the sign that the column shows', async () => {
    const { reseller } = await openBranch()
    for (const order of ['asc', 'desc'] as const) {
      const { data } = await reseller.call(list, { sort: 'credits', order })
      const shown = data.map(({ type, credits }) => (signOf(type) === -1 ? -credits : credits))
      expect(Math.min(...shown)).toBeLessThan(0)
      const ascending = shown.toSorted((one, other) => one - other)
      expect(shown).toEqual(order === 'asc' ? ascending : ascending.toReversed())
    }
  })

  test("are the reader's own and those beneath, of an account beneath alone", async () => {
    const { superreseller, reseller, dealer } = await openBranch()
    const stranger = await world.family({ credits: 1 })
    for (const [reader, account] of [
      [reseller, superreseller.name],
      [reseller, stranger.dealer.name],
      [reseller, 'nobody-has-it'],
      [reseller, world.admin.name],
      [dealer, reseller.name],
    ] as const) {
      for (const call of [list, sums] as const) await reader.refused('not_found', call, { account })
      const { exportTransactions } = calls.desk[reader.role]
      await reader.refused('not_found', exportTransactions, { account, from: '2026-01-01', to: '2026-12-31' })
    }
    const all = await superreseller.call(list, { per_page: 500 })
    expect(all.data).toEqual(await own(superreseller))
  })

  test('name whose client it was and who acted, as far as the reader may know them', async () => {
    const { superreseller, reseller, dealer, sibling } = await openBranch()
    const names = async (by: Person) =>
      (await by.call(list, {})).data.map(({ type, actor, dealer }) => [type, actor, dealer])
    const below = [
      ['REMOVE', reseller.name, null],
      ['TRIAL', sibling.name, sibling.name],
      ['RETRIEVED', dealer.name, dealer.name],
      ['USED', dealer.name, dealer.name],
      ['ADD', reseller.name, null],
      ['ADD', superreseller.name, null],
    ]
    expect(await names(reseller)).toEqual([['DELETE', '—', dealer.name], ...below])
    expect(await names(superreseller)).toEqual([
      ['DELETE', world.admin.name, dealer.name],
      ...below,
      ['ADD', world.admin.name, null],
    ])
  })

  test('name the account where the reader has its page: beneath it, but not where it was moved away', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 2 })
    const other = await world.child(superreseller)
    await world.client(dealer, { months: 1 })
    const pages = async (by: Person) => (await by.call(list, {})).data.map(({ account }) => account)
    expect(await pages(dealer)).toEqual([null, null])
    expect(await pages(reseller)).toEqual([null, dealer.name, null])
    expect(await pages(superreseller)).toEqual([null, dealer.name, reseller.name, null])
    await superreseller.call(calls.tree.move, { name: dealer.name, to: other.name })
    expect(await pages(reseller)).toEqual([null, null, null])
    expect(await pages(superreseller)).toEqual([null, dealer.name, reseller.name, null])
    expect((await world.admin.call(list, {})).data[3]?.account).toBe(superreseller.name)
  })

  test('that are more than 10,000 are counted up to 10,000, and all of them are summed', async () => {
    const { dealer } = await world.family({ credits: 10_001 })
    await world.plantClients(dealer, { prefix: 'page-', last: 1_000 })
    const clients = Array.from({ length: 1_000 }, (_, at) => `page-${at + 1}`)
    for (let times = 0; times < 10; times += 1) {
      await dealer.call(calls.clients.multirenew, { clients, months: 1 })
    }
    const page = await dealer.call(list, { page: 400 })
    expect(page).toMatchObject({ count: 10_000, count_capped: true, total_pages: 400 })
    expect(page.data).toHaveLength(25)
    // The pages end where the count does.
    expect((await dealer.call(list, { page: 334, per_page: 30 })).data).toHaveLength(10)
    expect((await dealer.call(list, { page: 401 })).data).toEqual([])
    // In another order the newest of them are sorted: the credits that came first are not among these.
    for (const order of ['asc', 'desc'] as const) {
      const { data } = await dealer.call(list, { sort: 'type', order, per_page: 500 })
      expect(data.map(({ type }) => type)).toEqual(Array(500).fill('USED'))
    }
    const added = await dealer.call(list, { sort: 'login', type: 'ADD' })
    expect(added.data).toHaveLength(2)
    expect((await dealer.call(sums, {})).data).toEqual([
      { type: 'ADD', transactions: 2, credits: 10_001 },
      { type: 'USED', transactions: 10_000, credits: 10_000 },
    ])
  })

  test('are exported as they are filtered', async () => {
    const { reseller, dealer } = await openBranch()
    const csvOf = async (filter: object) => {
      const { ticket } = await reseller.call(calls.desk.reseller.exportTransactions, {
        from: '2026-01-01',
        to: '2026-12-31',
        ...filter,
      })
      const { text } = await world.nobody().fetch('GET', `/v1/exports/${ticket}`)
      return text
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[1])
    }
    expect(await csvOf({ account: dealer.name, type: 'ADD' })).toEqual(['"ADD"'])
    expect(await csvOf({ search: '100%' })).toEqual(['"USED"', '"RETRIEVED"', '"DELETE"'])
  })
})

test('the transactions of one client are those of its history, whoever had it before; its dealer and the admin alone have them', async () => {
  const { superreseller, reseller, dealer } = await world.family({ credits: 9 })
  const heir = await world.child(reseller)
  await world.give(world.admin, superreseller, 5)
  await world.give(superreseller, reseller, 5)
  await world.give(reseller, heir, 5)
  await world.client(dealer, { login: 'maria', months: 2 })
  await world.client(dealer, { login: 'maria.costa', months: 1, desc: 'maria' })
  await reseller.call(calls.tree.moveClients, { from: dealer.name, to: heir.name, clients: ['maria'] })
  await heir.call(calls.clients.renew, { name: 'maria', months: 3 })
  const client = 'MARIA'
  const history = await heir.call(calls.clients.history, { name: client })
  expect(history.map(({ type, credits }) => [type, credits])).toEqual([
    ['USED', 3],
    ['MOVE', 2],
    ['USED', 2],
  ])
  expect((await heir.call(calls.transactions.list, { client })).data).toEqual(history)
  expect((await heir.call(calls.transactions.list, { client, type: 'USED', search: 'costa' })).data).toEqual(
    [],
  )
  expect((await heir.call(calls.transactions.sums, { client })).data).toEqual([
    { type: 'MOVE', transactions: 1, credits: 2 },
    { type: 'USED', transactions: 2, credits: 5 },
  ])
  const { ticket } = await heir.call(calls.desk.dealer.exportTransactions, {
    client,
    from: '2026-01-01',
    to: '2026-12-31',
  })
  const { text } = await world.nobody().fetch('GET', `/v1/exports/${ticket}`)
  expect(text.match(/"(USED|MOVE)"/g)).toEqual(['"USED"', '"MOVE"', '"USED"'])
  expect((await world.admin.call(calls.transactions.list, { client })).count).toBe(3)
  for (const stranger of [dealer, reseller]) {
    await expect(stranger.call(calls.transactions.list, { client })).rejects.toThrow('not_found')
    await expect(stranger.call(calls.transactions.sums, { client })).rejects.toThrow('not_found')
    const { exportTransactions } = calls.desk[stranger.role]
    await stranger.refused('not_found', exportTransactions, { client, from: '2026-01-01', to: '2026-12-31' })
  }
})

test("a client's history has only its own transactions, not those of an earlier client with its login", async () => {
  const { dealer } = await world.family({ credits: 5 })
  const { name } = await world.client(dealer, { months: 1 })
  await world.client(dealer, { months: 1 })
  await dealer.call(calls.clients.renew, { name, months: 2 })
  expect(brief(await dealer.call(calls.clients.history, { name: name.toUpperCase() }))).toEqual([
    ['USED', 2, name, dealer.name],
    ['USED', 1, name, dealer.name],
  ])
})
