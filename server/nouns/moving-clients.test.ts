import { afterEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { hold, somebodyWaits } from '../../test/support/hold.ts'
import { type Family, type Person, suiteWorld, unique } from '../../test/support/world.ts'
import { PLAYED } from '../verify/guards.ts'
import { verify } from '../verify/verify.ts'

const { clients, moveClients, close, account, list, suspend, lift } = calls.tree
const { renew, retrieve, detail, history, remind } = calls.clients

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '100' } })
// Every test leaves books that verify finds sound.
afterEach(async () => {
  expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
})

type Scene = Family & { other: Person; client: string }

/** A dealer with a client that it has paid three months for, and another dealer of its reseller. */
async function newScene(): Promise<Scene> {
  const family = await world.family({ credits: 9 })
  const { name: client } = await world.client(family.dealer, { months: 3 })
  return { ...family, client, other: await world.child(family.reseller) }
}

const typesOf = async (person: Person) =>
  (await person.call(calls.desk[person.role].transactions)).map(({ type }) => type)

describe('clients that are moved to another dealer', () => {
  test('name nobody of the branch that they left to those of the new one, nor the other way round', async () => {
    const [from, to] = [await world.family({ credits: 2 }), await world.family()]
    const { name } = await world.client(from.dealer, { months: 2 })
    const move = { from: from.dealer.name, to: to.dealer.name, clients: [name] }
    await world.admin.call(moveClients, move)
    const day = world.clock.now.toISOString().slice(0, 10)
    const sides = [
      { readers: from, others: to, dealer: '—' },
      { readers: to, others: from, dealer: to.dealer.name },
    ]
    for (const { readers, others, dealer } of sides) {
      for (const reader of [readers.superreseller, readers.reseller, readers.dealer]) {
        const { data } = await reader.call(calls.transactions.list, { type: 'MOVE' })
        expect(data).toMatchObject([{ login: name, dealer }])
        const { transactions, exportTransactions } = calls.desk[reader.role]
        const { ticket } = await reader.call(exportTransactions, { from: day, to: day })
        const file = await world.nobody().fetch('GET', `/v1/exports/${ticket}`)
        const read = JSON.stringify(await reader.call(transactions)) + file.text
        expect(read).toContain('MOVE')
        for (const stranger of Object.values(others)) expect(read).not.toContain(stranger.name)
      }
    }
    const rows = await to.dealer.call(history, { name })
    expect(rows.map(({ type, dealer }) => [type, dealer])).toEqual([
      ['MOVE', to.dealer.name],
      ['USED', '—'],
    ])
  })

  test('do not tell their next dealer who reminded them before', async () => {
    const { reseller, dealer, other } = await newScene()
    const { name } = await world.client(dealer, { months: 0 })
    await dealer.call(remind, { name, reminded: true })
    await reseller.call(moveClients, { from: dealer.name, to: other.name, clients: [name] })
    const { data } = await other.call(calls.clients.dueClients, { within: 'today' })
    expect(data).toMatchObject([{ name, reminded_by: '—' }])
  })

  test('take their months, their history and their reminder along, as a MOVE that both dealers see', async () => {
    const { reseller, dealer, other, client } = await newScene()
    await dealer.call(remind, { name: client, reminded: true })
    const input = { from: dealer.name, to: other.name, clients: [client.toUpperCase()] }
    expect(await reseller.call(moveClients, input)).toEqual({ status: 'OK', moved: 1, left: 0 })
    await dealer.refused('not_found', detail, { name: client })
    const rows = await other.call(history, { name: client })
    expect(rows.map(({ type, credits, actor }) => [type, credits, actor])).toEqual([
      ['MOVE', 3, reseller.name],
      ['USED', 3, '—'],
    ])
    expect(await typesOf(dealer)).toEqual(['MOVE', 'USED', 'ADD'])
    expect(await typesOf(other)).toEqual(['MOVE'])
    expect((await typesOf(reseller)).filter((type) => type === 'MOVE')).toHaveLength(1)
    expect((await other.call(calls.clients.dueClients, { within: 'month' })).count).toBe(0)
    expect(
      await world.server.sql`
      select r.account from reminder r join client c on c.id = r.client where c.name = ${client}`,
    ).toEqual([{ account: dealer.id }])
  })

  test('change no balance, are not counted as spent, and can be taken back to the new dealer', async () => {
    const { reseller, dealer, other, client } = await newScene()
    const used = async () => (await reseller.call(list)).data.map((row) => [row.name, row.used]).sort()
    const before = await used()
    await reseller.call(moveClients, { from: dealer.name, to: other.name, clients: [client] })
    expect(await used()).toEqual(before)
    expect((await other.call(calls.clients.spent)).this_month.spent).toBe(0)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(6)
    expect((await other.call(calls.credits.dealer)).credits).toBe(0)
    expect(await other.call(retrieve, { login: client, credits: 2 })).toMatchObject({ credits: 2 })
    expect(await other.call(renew, { name: client, months: 1 })).toMatchObject({ credits: 1 })
  })

  test('are in the lists and files of both dealers, and once in those of who is above both', async () => {
    const { reseller, dealer, other, client } = await newScene()
    await reseller.call(moveClients, { from: dealer.name, to: other.name, clients: [client] })
    const today = world.clock.now.toISOString().slice(0, 10)
    for (const person of [dealer, other, reseller]) {
      const { count, data } = await person.call(calls.transactions.list, { type: 'MOVE', per_page: 1 })
      expect([count, data.map(({ login }) => login)]).toEqual([1, [client]])
      const { ticket } = await person.call(calls.desk[person.role].exportTransactions, {
        from: today,
        to: today,
      })
      const { text } = await world.nobody().fetch('GET', `/v1/exports/${ticket}`)
      expect(text.split('MOVE')).toHaveLength(2)
    }
  })

  test('of a dealer of another superreseller are counted there', async () => {
    const { superreseller, dealer, client } = await newScene()
    const elsewhere = await world.family()
    await world.client(elsewhere.dealer)
    await world.admin.call(moveClients, { from: dealer.name, to: elsewhere.dealer.name, clients: [client] })
    const beneath = async ({ name }: Person) => (await world.admin.call(account, { name })).beneath.clients
    expect(await beneath(superreseller)).toBe(0)
    expect(await beneath(elsewhere.superreseller)).toBe(2)
    expect(await typesOf(superreseller)).toContain('MOVE')
    expect((await elsewhere.dealer.call(calls.clients.list, { search: client })).count).toBe(1)
  })

  test('without names are the first thousand of all, until none is left', async () => {
    const { reseller, dealer, other } = await newScene()
    await world.client(dealer)
    await world.plantClients(dealer, { prefix: unique(8), last: 1_001 })
    const all = { from: dealer.name, to: other.name }
    // Planted clients have no row in the ledger, which verify would report.
    await world.server.sql`
      insert into transfer (type, credits, superreseller, reseller, dealer, client, actor, login, description, expiry)
      select 'TRIAL', 0, d.superreseller, d.reseller, d.id, c.id, d.id, c.name, '', s.expiry
      from client c join service s on s.client = c.id join account d on d.id = c.dealer
      where c.dealer = ${dealer.id} and not exists (select from transfer t where t.client = c.id)`
    expect(await reseller.call(moveClients, all)).toEqual({ status: 'OK', moved: 1_000, left: 3 })
    const rest = await reseller.call(calls.tree.clients, { name: dealer.name, page: 2, per_page: 2 })
    expect(rest).toMatchObject({ count: 3, current_page: 2, per_page: 2, total_pages: 2 })
    expect(rest.data).toHaveLength(1)
    expect(await reseller.call(moveClients, all)).toEqual({ status: 'OK', moved: 3, left: 0 })
    await reseller.refused('changed_since', moveClients, all)
    await reseller.call(close, { name: dealer.name })
    expect((await other.call(calls.clients.list)).count).toBe(1_003)
  })

  test('are all moved or none: all who are not there are named, whether they are strangers or nobody', async () => {
    const { reseller, dealer, other, client } = await newScene()
    const { name: stranger } = await world.client(other)
    const move = (...clients: string[]) =>
      reseller.refused('changed_since', moveClients, { from: dealer.name, to: other.name, clients })
    for (const name of [stranger, 'nobody-at-all']) {
      expect(await move(client, name)).toMatchObject({
        message: `${dealer.name} has no client ${name} any more. Nobody was moved: move the others without it.`,
        missing: [name],
      })
    }
    const several = [stranger, 'Nobody-at-all', 'nobody-else']
    const { message, missing } = await move(...several, client)
    expect(missing).toEqual(several)
    expect(message).toBe(
      `${dealer.name} has no client ${stranger} and 2 others any more. Nobody was moved: move the others without them.`,
    )
    await dealer.call(detail, { name: client })
  })

  test('are named too where none of them is there', async () => {
    const { reseller, dealer, other } = await newScene()
    const { name: stranger } = await world.client(other)
    for (const clients of [['nobody-at-all'], [stranger, 'nobody-at-all']]) {
      const input = { from: dealer.name, to: other.name, clients }
      const { message, missing } = await reseller.refused('changed_since', moveClients, input)
      expect(missing).toEqual(clients)
      expect(message).toMatch(/ any more\. Nobody was moved\.$/)
    }
  })
})

describe('a move of clients', () => {
  test('is made by whoever is above both dealers', async () => {
    const { superreseller, reseller, dealer, other, client } = await newScene()
    const elsewhere = await world.family()
    const input = { from: dealer.name, to: other.name, clients: [client] }
    await dealer.refused('wrong_role', moveClients, input)
    for (const by of [reseller, superreseller]) {
      await by.refused('not_found', moveClients, { ...input, to: elsewhere.dealer.name })
    }
    await elsewhere.reseller.refused('not_found', moveClients, { ...input, to: elsewhere.dealer.name })
    await superreseller.refused('invalid_input', moveClients, { ...input, to: reseller.name })
    await superreseller.refused('invalid_input', moveClients, { ...input, to: dealer.name })
    await superreseller.call(moveClients, input)
    await reseller.call(moveClients, { from: other.name, to: dealer.name, clients: [client] })
  })

  test('away from who is suspended with service is made by whoever may lift that', async () => {
    const { superreseller, reseller, dealer, other, client } = await newScene()
    const elsewhere = await world.child(await world.child(superreseller))
    const input = { from: dealer.name, to: other.name, clients: [client] }
    await world.admin.call(suspend, { name: dealer.name, service_too: true })
    const { message } = await reseller.refused('account_suspended', moveClients, input)
    expect(message).toBe(
      `${dealer.name} is suspended. Only who suspended it, or somebody above them, can move anything away from it.`,
    )
    await world.admin.call(moveClients, input)
    await world.admin.call(moveClients, { from: other.name, to: dealer.name, clients: [client] })
    await world.admin.call(lift, { name: dealer.name })
    // Beneath the same suspension it stays out of service wherever it goes.
    await world.admin.call(suspend, { name: reseller.name, service_too: true })
    await superreseller.call(moveClients, input)
    const away = { from: other.name, to: elsewhere.name, clients: [client] }
    await superreseller.refused('account_suspended', moveClients, away)
    await superreseller.refused('account_suspended', lift, { name: reseller.name })
    await world.admin.call(moveClients, away)
  })

  test('away from a dealer whose clients are served is made by its reseller, though the admin has suspended the dealer', async () => {
    const { reseller, dealer, other, client } = await newScene()
    await world.admin.call(suspend, { name: dealer.name })
    await reseller.call(moveClients, { from: dealer.name, to: other.name, clients: [client] })
  })

  test('away from beneath a suspended reseller is made by whoever may lift that, also where the clients are served', async () => {
    const { superreseller, reseller, dealer, other, client } = await newScene()
    const elsewhere = await world.child(await world.child(superreseller))
    await world.admin.call(suspend, { name: reseller.name })
    await superreseller.call(moveClients, { from: dealer.name, to: other.name, clients: [client] })
    const away = { from: other.name, to: elsewhere.name, clients: [client] }
    // Whoever gets them could take the months back that the dealer has paid for.
    await superreseller.refused('account_suspended', moveClients, away)
    await world.admin.call(moveClients, away)
  })

  test('is neither from nor to a dealer that is closed', async () => {
    const { reseller, dealer, client } = await newScene()
    const closed = await world.child(reseller)
    await reseller.call(close, { name: closed.name })
    const to = { from: dealer.name, to: closed.name, clients: [client] }
    await reseller.refused('not_found', moveClients, to)
    await reseller.refused('not_found', moveClients, { from: closed.name, to: dealer.name })
  })

  test('shows the name, the MAC and the expiry of each client, and nothing else', async () => {
    const { reseller, dealer } = await newScene()
    const { name, mac, expiry } = await world.client(dealer, { months: 1, desc: 'Hall', phone: '5551234567' })
    const page = await reseller.call(clients, { name: dealer.name, search: name.slice(1) })
    expect(page).toMatchObject({ count: 1 })
    expect(page.data).toEqual([{ name, mac, expiry }])
    expect(
      (await reseller.call(clients, { name: dealer.name, search: mac.replaceAll(':', '-') })).count,
    ).toBe(1)
    for (const search of ['Hall', '5551234567', '%']) {
      expect((await reseller.call(clients, { name: dealer.name, search })).count).toBe(0)
    }
    expect((await reseller.call(clients, { name: dealer.name, per_page: 1 })).data).toHaveLength(1)
  })
})

describe('while a client is being moved,', () => {
  /** Lets the move wait for the other dealer's credits, makes a call that comes after it, and lets both go on. */
  async function comesAfter(
    { reseller, dealer, other, client }: Scene,
    call: () => ReturnType<Person['send']>,
  ) {
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${other.id} for update`
      const moving = reseller.call(moveClients, { from: dealer.name, to: other.name, clients: [client] })
      await somebodyWaits(sql)
      const answer = call()
      await Promise.race([answer, somebodyWaits(sql, 2)])
      return [Promise.all([answer, moving])]
    })
    return (await answers)[0]
  }

  test.each([
    ['a renewal', ({ dealer, client }: Scene) => dealer.send(renew, { name: client, months: 1 })],
    ['a retrieval', ({ dealer, client }: Scene) => dealer.send(retrieve, { login: client, credits: 1 })],
    [
      'a change',
      ({ dealer, client }: Scene) => dealer.send(calls.clients.save, { login: client, desc: 'x' }),
    ],
    ['a reminder', ({ dealer, client }: Scene) => dealer.send(remind, { name: client, reminded: true })],
  ])('%s of its old dealer finds it no more, and spends nothing', async (_what, call) => {
    const scene = await newScene()
    expect(await comesAfter(scene, () => call(scene))).toMatchObject({ status: 404 })
    expect((await scene.dealer.call(calls.credits.dealer)).credits).toBe(6)
  })

  test('a closing of the dealer that it goes to is refused', async () => {
    const scene = await newScene()
    const { reseller, other } = scene
    const closing = await comesAfter(scene, () => reseller.send(close, { name: other.name }))
    expect(closing).toMatchObject({ status: 400, body: { code: 'not_empty' } })
  })

  test('a dealer that is closed meanwhile gets none', async () => {
    const { reseller, dealer, other, client } = await newScene()
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${other.id} for update`
      const closing = reseller.call(close, { name: other.name })
      await somebodyWaits(sql)
      const moving = reseller.send(moveClients, { from: dealer.name, to: other.name, clients: [client] })
      await somebodyWaits(sql, 2)
      return [Promise.all([moving, closing])]
    })
    expect((await answers)[0]).toMatchObject({ status: 404 })
    await dealer.call(detail, { name: client })
  })

  test('a dealer that is moved away from the caller meanwhile keeps its clients', async () => {
    const { superreseller, reseller, dealer, other, client } = await newScene()
    const elsewhere = await world.child(superreseller)
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${dealer.id} for update`
      const leaving = superreseller.call(calls.tree.move, { name: dealer.name, to: elsewhere.name })
      await somebodyWaits(sql)
      const moving = reseller.send(moveClients, { from: dealer.name, to: other.name, clients: [client] })
      await somebodyWaits(sql, 2)
      return [Promise.all([moving, leaving])]
    })
    expect((await answers)[0]).toMatchObject({ status: 404 })
    await dealer.call(detail, { name: client })
  })

  test('a renewal by the old dealer whose body arrives after the move is refused', async () => {
    const { reseller, dealer, other, client } = await newScene()
    const finish = hold(dealer, renew, { name: client, months: 1 })
    for (let times = 0; times < 3; times += 1) await dealer.call(calls.session.user)
    await reseller.call(moveClients, { from: dealer.name, to: other.name, clients: [client] })
    expect(await finish()).toBe(404)
  })

  test('a repeat of a renewal by the old dealer under the same key returns the stored reply; a new renewal is refused', async () => {
    const { reseller, dealer, other, client } = await newScene()
    const key = unique()
    const first = await dealer.call(renew, { name: client, months: 1 }, { key })
    await reseller.call(moveClients, { from: dealer.name, to: other.name, clients: [client] })
    expect(await dealer.call(renew, { name: client, months: 1 }, { key })).toEqual(first)
    await dealer.refused('not_found', renew, { name: client, months: 1 }, { key: unique() })
  })
})
