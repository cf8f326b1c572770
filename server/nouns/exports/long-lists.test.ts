import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { filesOf, LIST, parse } from '../../../test/support/exports.ts'
import { type Person, suiteWorld } from '../../../test/support/world.ts'

const { clients, admin } = calls

/** How long a file may take to end; how soon it does is no matter of these tests. */
const SOON = { timeout: 60_000 }

const { setTimeout: realTimeout } = globalThis
/** Waits in real time, in which the processes and connections run, even where a test has the timers. */
const pause = (ms: number) => new Promise((resolve) => realTimeout(resolve, ms))

const tellsOfSlow = (line: string) => line.includes('The reader of a file is too slow')

const world = await suiteWorld()
const { fetchFile, csvOf } = filesOf(world)
const family = await world.family()
const other = await world.family()

async function expectCut(response: AsyncIterable<unknown>): Promise<void> {
  const reading = (async () => {
    for await (const _ of response);
  })()
  await expect(reading).rejects.toThrow('aborted')
}

describe('a long list', () => {
  const MANY = 15_000
  const LAST = `long${String(MANY).padStart(8, '0')}`
  let dealer: Person

  beforeAll(async () => {
    dealer = (await world.family()).dealer
    // Nobody searches these, and the indexes of searches take their time.
    await world.server.ownerSql`drop index directory_text, directory_pairs`
    // The file must be far longer than all buffers on its way, which texts do sooner than rows. A socket alone may take
    // in 33 MB.
    await world.server.ownerSql`alter table client drop constraint client_description_check`
    await world.plantClients(dealer, {
      prefix: 'long',
      last: MANY,
      digits: 8,
      description: 'row '.padEnd(6_000, '.'),
    })
  })

  afterEach(async () => {
    vi.useRealTimers()
    await expectTransactions(0)
  })

  async function open(by = dealer) {
    const { ticket } = await by.call(by.role === 'admin' ? admin.exportClients : clients.export, LIST)
    const asking = request(`${world.server.url}/v1/exports/${ticket}`).end()
    const [response] = await once(asking, 'response')
    return { asking, response }
  }

  const transactions = () => world.server.sql`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'boxtree export'`

  async function transactionsOpen(): Promise<number> {
    const [row] = await world.server.sql<
      { count: number }[]
    >`select count(*) from (${transactions()}) as open`
    return row?.count ?? 0
  }

  async function expectTransactions(open: number): Promise<void> {
    await expect.poll(transactionsOpen, SOON).toBe(open)
  }

  test('is exported whole, as it was when the export began', async () => {
    const { response } = await open()
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) {
      if (text === '') await world.server.sql`update client set description = 'later' where name = ${LAST}`
      text += chunk
    }
    const rows = parse(text)
    expect(rows).toHaveLength(MANY + 1)
    expect(rows.at(-1)?.slice(0, 2)).toEqual([LAST, expect.stringMatching(/^row /)])
  })

  test('frees its database connection when its reader disconnects', async () => {
    const readers = await Promise.all([open(), open()])
    await expectTransactions(2)
    for (const { asking } of readers) asking.destroy()
  })

  test('frees its database connection when its reader disconnects, even if the database is still busy', async () => {
    const tickets = [await dealer.call(clients.export, LIST), await dealer.call(clients.export, LIST)]
    const backends = async () => (await transactions()).map(({ pid }) => pid)
    await world.server.ownerSql.begin(async (owner) => {
      await owner`lock table service in access exclusive mode`
      const begin = async (ticket: string | undefined) => {
        const asking = request(`${world.server.url}/v1/exports/${ticket}`).end()
        await once(asking, 'response')
        return asking
      }
      // The first goes on waiting for the lock, so that the second is not freed by the longest wait for one.
      const kept = await begin(tickets[0]?.ticket)
      await expect.poll(backends, SOON).toHaveLength(1)
      const first = await backends()
      const left = await begin(tickets[1]?.ticket)
      await expect.poll(backends, SOON).toHaveLength(2)
      left.destroy()
      await expect.poll(backends, SOON).toEqual(first)
      kept.destroy()
    })
  })

  test('makes only the third export of the same account wait, and no other account', async () => {
    const [first, second] = await Promise.all([open(), open()])
    const third = open()
    await csvOf(family.dealer)
    await expectTransactions(2)
    first.asking.destroy()
    const { response, asking } = await third
    expect(response.statusCode).toBe(200)
    for (const one of [second.asking, asking]) one.destroy()
  })

  test('makes room for an account that has no file, and no more, if the readers in all places stand still', async () => {
    // Not setTimeout, which the database driver needs to connect.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const readers = await Promise.all([open(), open(), open(world.admin), open(world.admin)])
    await expectTransactions(4)
    const issue = async () => (await family.dealer.call(clients.export, LIST)).ticket
    const tickets = [await issue(), await issue(), await issue()]
    const givenUp = () => world.server.logged.filter(tellsOfSlow).length
    const before = givenUp()
    const waiting = Promise.all(tickets.map((ticket) => fetchFile(ticket)))
    // Only until one is given up: its place is free as soon as its process has ended, which takes a while.
    while (givenUp() === before) {
      vi.advanceTimersByTime(1_000)
      await pause(20)
    }
    const answers = await waiting
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    // Its three requests share the one place.
    await expectTransactions(3)
    for (const { asking } of readers) asking.destroy()
    vi.useRealTimers()
  })

  test.each([
    { what: 'ticket', seconds: 60 },
    { what: 'session', seconds: 30 },
  ])('is not begun if its $what expires while it waits for a turn', async ({ what, seconds }) => {
    const until = new Date(world.clock.now.getTime() + seconds * 1_000)
    const own = what === 'session' ? await world.again(dealer, until) : dealer
    const readers = await Promise.all([open(), open()])
    const { ticket } = await own.call(clients.export, LIST)
    const arrival = once(world.server.app.server, 'request')
    const waiting = fetchFile(ticket)
    await arrival
    // Meanwhile the request gets into the queue.
    for (let call = 1; call <= 3; call += 1) await dealer.call(calls.session.user)
    world.clock.pass({ seconds })
    for (const { asking } of readers) asking.destroy()
    expect((await waiting).status).toBe(404)
  })

  test('whose session has expired is refused at once, and not only after its turn', async () => {
    const readers = await Promise.all([open(), open()])
    const until = new Date(world.clock.now.getTime() + 30_000)
    const { ticket } = await (await world.again(dealer, until)).call(clients.export, LIST)
    world.clock.pass({ seconds: 30 })
    expect((await fetchFile(ticket)).status).toBe(404)
    // Nobody has made room for it.
    await expectTransactions(2)
    for (const { asking } of readers) asking.destroy()
  })

  test('keeps its ticket valid if the reader disconnects while waiting for a turn', async () => {
    const readers = await Promise.all([open(), open()])
    const { ticket } = await dealer.call(clients.export, LIST)
    const arrival = once(world.server.app.server, 'request')
    const waiting = request(`${world.server.url}/v1/exports/${ticket}`).on('error', () => {})
    waiting.end()
    const [, answer] = await arrival
    waiting.destroy()
    await once(answer, 'close')
    for (const { asking } of readers) asking.destroy()
    expect((await fetchFile(ticket)).status).toBe(200)
  })

  test('is cut off when the session that asked for it ends', async () => {
    const own = await world.again(dealer)
    const { response } = await open(own)
    const others = await open()
    await expectTransactions(2)
    await own.call(calls.session.logout)
    await expectTransactions(1)
    await expectCut(response)
    others.asking.destroy()
  })

  test('is cut off when the account that asked for it is suspended', async () => {
    const own = await world.again(dealer)
    const { response } = await open(own)
    await world.admin.call(calls.tree.suspend, { name: dealer.name })
    await expectTransactions(0)
    await expectCut(response)
    await world.admin.call(calls.tree.lift, { name: dealer.name })
    dealer = await world.again(dealer)
  })

  test('goes on as it was when its account, and then its clients, are moved in the middle of it', async () => {
    const { response } = await open()
    const { move, moveClients } = calls.tree
    await world.admin.call(move, { name: dealer.name, to: other.reseller.name })
    await world.admin.call(moveClients, { from: dealer.name, to: other.dealer.name, clients: [LAST] })
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    const rows = parse(text)
    expect(rows).toHaveLength(MANY + 1)
    expect(rows.at(-1)?.[0]).toBe(LAST)
    await world.admin.call(moveClients, { from: other.dealer.name, to: dealer.name, clients: [LAST] })
  })

  test('is sent whole also where the database has a limit for transactions', async () => {
    const database = await world.server.ownerSql<{ name: string }[]>`select current_database() as name`
    const alter = (limit: string) =>
      world.server.ownerSql.unsafe(`alter database ${database[0]?.name} ${limit}`)
    const [knows] = await world.server.sql`select current_setting('transaction_timeout', true) as limit`
    if (knows?.limit === null) return
    await alter("set transaction_timeout = '1s'")
    try {
      const { response } = await open()
      await pause(2_000)
      let text = ''
      for await (const some of response.setEncoding('utf8')) text += some
      expect(parse(text)).toHaveLength(MANY + 1)
    } finally {
      await alter('reset transaction_timeout')
    }
  })

  test('is cut off when the hour of the session that asked for it is over', async () => {
    const soon = new Date(world.clock.now.getTime() + 30_000)
    const { response } = await open(await world.again(dealer, soon))
    const others = await open()
    await expectTransactions(2)
    world.clock.pass({ seconds: 30 })
    await expectTransactions(1)
    await expectCut(response)
    others.asking.destroy()
  })

  test('arrives visibly incomplete if the database fails in the middle', async () => {
    const { response } = await open()
    await expectTransactions(1)
    await world.server.sql`select pg_terminate_backend(pid) from (${transactions()}) as open`
    await expectCut(response)
  })

  describe('whose reader is too slow', () => {
    test.each([1_000, 20_000])('is cut off at %i bytes a second, and frees its place', async (rate) => {
      const before = world.server.logged.filter(tellsOfSlow).length
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      const opening = open()
      let opened = false
      opening.then(() => (opened = true))
      // The database driver cannot connect while no time passes.
      for (; !opened; vi.advanceTimersByTime(1)) await pause(5)
      const { response } = await opening
      while (world.server.logged.filter(tellsOfSlow).length === before) {
        response.read(rate)
        await pause(5)
        vi.advanceTimersByTime(1_000)
      }
      vi.useRealTimers()
      await expectCut(response)
      await expectTransactions(0)
      const readers = await Promise.all([open(), open()])
      expect(readers.map(({ response }) => response.statusCode)).toEqual([200, 200])
      for (const { asking } of readers) asking.destroy()
      await expectTransactions(0)
    })
  })

  test('is cut off when the account that asked for it is closed, once its clients are moved away', async () => {
    const closing = (await world.family()).dealer
    const description = 'row '.padEnd(10_000, '.')
    await world.plantClients(closing, { prefix: 'wide', last: 1_000, digits: 4, description })
    const { response } = await open(closing)
    const { moveClients, close } = calls.tree
    await world.admin.call(moveClients, { from: closing.name, to: dealer.name })
    await expectTransactions(1)
    await world.admin.call(close, { name: closing.name })
    await expectTransactions(0)
    await expectCut(response)
  })
})
