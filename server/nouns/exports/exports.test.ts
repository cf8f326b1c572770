import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { holdOpen, somebodyWaits } from '../../../test/support/hold.ts'
import { textsOf } from '../../../test/support/pdf.ts'
import { type Answer, Clock, PASSWORD, type Person, suiteWorld, unique } from '../../../test/support/world.ts'
import { hash } from '../../access/seal.ts'

const { clients, admin, desk } = calls
const LIST = { format: 'csv', search: '', sort: 'name', order: 'asc', filter: 'all' } as const

/** How long a file may take to end; how soon it does is no matter of these tests. */
const SOON = { timeout: 60_000 }

const { setTimeout: realTimeout } = globalThis
/** Waits in real time, in which the processes and connections run, even where a test has the timers. */
const pause = (ms: number) => new Promise((resolve) => realTimeout(resolve, ms))

/** What ends the session that a ticket belongs to. */
const ENDS = [
  { what: 'the logout of its session, and not of another', end: logOut },
  { what: "the account's own new password", end: changeOwnPassword },
  { what: 'the new password that its parent gives it', end: resetPassword },
]
type Ending = { own: Person; another: Person; reseller: Person }

function logOut({ own }: Ending) {
  return own.call(calls.session.logout)
}

function changeOwnPassword({ own }: Ending) {
  return own.call(calls.session.password, { old_password: PASSWORD, password: 'another-password' })
}

function resetPassword({ own, reseller }: Ending) {
  return reseller.call(calls.level.dealer.changePassword, { name: own.name, password: 'another-password' })
}

const world = await suiteWorld({
  clock: new Clock('2026-03-28T12:00:00.000Z'),
  env: { TIME_ZONE: 'Europe/Lisbon' },
})
const family = await world.family({ credits: 50 })
const other = await world.family({ credits: 5 })

async function fetchFile(ticket: string, by: Person = world.nobody()) {
  return by.fetch('GET', `/v1/exports/${ticket}`)
}

async function expectCut(response: AsyncIterable<unknown>): Promise<void> {
  const reading = (async () => {
    for await (const _ of response);
  })()
  await expect(reading).rejects.toThrow('aborted')
}

async function csvOf(person: Person, more: object = {}): Promise<string[][]> {
  const call = person.role === 'admin' ? admin.exportClients : clients.export
  const { ticket } = await person.call(call, { ...LIST, ...more })
  const { status, text } = await fetchFile(ticket)
  expect(status).toBe(200)
  return parse(text)
}

/** Reads RFC 4180, in which every cell that is not empty is quoted here. */
function parse(csv: string): string[][] {
  expect(csv.endsWith('\r\n')).toBe(true)
  return csv
    .slice(0, -2)
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|)/g)].map(([, cell]) =>
        (cell ?? '').replaceAll('""', '"'),
      ),
    )
}

/** Returns the cells that a spreadsheet finds which separates them by semicolons, and forgives what follows a quoted part. */
function cellsBySemicolon(csv: string): string[] {
  return csv
    .split('\r\n')
    .flatMap((line) => [...line.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)"?)?([^;]*)/g)])
    .map(([, quoted = '', rest = '']) => quoted.replaceAll('""', '"') + rest)
}

describe('the CSV of the clients of a dealer', () => {
  let dealer: Person
  beforeAll(async () => {
    dealer = (await world.family({ credits: 20 })).dealer
  })

  test('has the rows of the list, and no cell that a spreadsheet runs as a formula', async () => {
    const descriptions = [
      '=1+1',
      '+41 44',
      '-5',
      '@home',
      '\u{ff1d}2',
      'a "quoted", cell',
      'Zoë – Škoda 日本',
      '<b>x</b>',
      '',
    ]
    const made = []
    for (const [at, desc] of descriptions.entries()) {
      const login = `${at === 0 ? '-' : 'c'}${at}${unique(8)}`
      const phone = ['', '4165550199', '0207946095'][at] ?? ''
      const packageOf = at === 1 ? 36 : 1
      const more = { desc, phone, package_selection: packageOf, months: at === 1 ? 1 : 0, ministra: at === 2 }
      made.push({
        ...(await world.client(dealer, { login, ...more })),
        desc,
        phone,
      })
    }
    const [, second] = made
    await dealer.call(clients.save, { login: second?.name ?? '', status: false })
    const rows = await csvOf(dealer)
    expect(rows[0]).toEqual(
      'Name,Description,MAC,Ministra,Expiry,Expiry State,Status,Phone,Package,Created'.split(','),
    )
    expect(rows.slice(1)).toEqual(
      made
        .map(({ name, desc, mac, phone }, at) => [
          name.startsWith('-') ? `'${name}` : name,
          /^[=+\-@\uff1d]/.test(desc) ? `'${desc}` : desc,
          mac,
          at === 2 ? 'Yes' : 'No',
          at === 1 ? '2026-04-28' : '2026-03-28',
          at === 1 ? 'Active' : 'Expiring',
          at === 1 ? 'Inactive' : 'Active',
          // A spreadsheet would drop the 0, and nobody could dial what is left.
          phone.startsWith('0') ? `'${phone}` : phone,
          at === 1 ? 'Latino/Mexico/Spain/South America/No Adults' : 'All Packages',
          '2026-03-28',
        ])
        .sort(([a = ''], [b = '']) => (a.replace("'", '') < b.replace("'", '') ? -1 : 1)),
    )
  })

  test('begins with the byte order mark that tells Excel that it is UTF-8', async () => {
    const { ticket } = await dealer.call(clients.export, LIST)
    const response = await fetch(`${world.server.url}/v1/exports/${ticket}`)
    expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="boxtree-clients-2026-03-28.csv"',
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test.each([
    { sort: 'expiry', order: 'desc' },
    { filter: 'expiring' },
    { filter: 'expired' },
    { search: 'QUOTED' },
    { search: '%' },
    { sort: 'description', order: 'asc', search: 'c' },
  ] as const)('has the same rows in the same order as the list of %j', async (selection) => {
    const { data } = await dealer.call(clients.list, { ...selection, per_page: 500 })
    const rows = await csvOf(dealer, selection)
    expect(rows.slice(1).map(([name]) => name?.replace("'", ''))).toEqual(data.map(({ name }) => name))
  })

  test('shows whether a client has expired, whether or not it is switched on', async () => {
    const owner = (await world.family({ credits: 2 })).dealer
    const [gone, long, soon] = [
      await world.client(owner, { login: 'a-gone', months: 0 }),
      await world.client(owner, { login: 'b-long', months: 1 }),
      await world.client(owner, { login: 'c-soon', months: 0 }),
    ]
    await world.setExpiry(gone.name, '2026-03-28T11:59:59.999Z')
    await owner.call(clients.save, { login: long.name, status: false })
    const rows = await csvOf(owner)
    expect(rows.slice(1).map((row) => [row[0], row[5], row[6]])).toEqual([
      [gone.name, 'Expired', 'Active'],
      [long.name, 'Active', 'Inactive'],
      [soon.name, 'Expiring', 'Active'],
    ])
  })

  test('has only a header if there are no clients', async () => {
    expect(await csvOf((await world.family()).dealer)).toHaveLength(1)
  })
})

describe('the CSV of the clients of the admin', () => {
  test('has the clients of every dealer, each with the name of its dealer', async () => {
    const mine = await world.client(family.dealer)
    const theirs = await world.client(other.dealer)
    const rows = await csvOf(world.admin)
    expect(rows[0]?.at(-1)).toBe('Dealer')
    const dealers = new Map(rows.map((row) => [row[0], row.at(-1)]))
    expect(dealers.get(mine.name)).toBe(family.dealer.name)
    expect(dealers.get(theirs.name)).toBe(other.dealer.name)
  })
})

describe('the ticket of a file', () => {
  test('works once, even if two requests use it at the same time', async () => {
    const { ticket } = await family.dealer.call(clients.export, LIST)
    const answers = await Promise.all([1, 2, 3].map(() => fetchFile(ticket)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect((await fetchFile(ticket)).status).toBe(404)
  })

  test('works for one minute', async () => {
    const [first, second] = [
      await family.dealer.call(clients.export, LIST),
      await family.dealer.call(clients.export, LIST),
    ]
    world.clock.pass({ seconds: 59 })
    expect((await fetchFile(first.ticket)).status).toBe(200)
    world.clock.pass({ seconds: 1 })
    expect((await fetchFile(second.ticket)).status).toBe(404)
  })

  test('is answered like an unknown one after it was used', async () => {
    const { ticket } = await family.dealer.call(clients.export, LIST)
    await fetchFile(ticket)
    const [spent, unknown] = [await fetchFile(ticket), await fetchFile('x'.repeat(43))]
    expect(spent.text).toBe(unknown.text)
    expect(unknown.body).toMatchObject({ code: 'not_found' })
  })

  test('is stored only as a hash, and a repeat under the same Idempotency-Key gets another ticket', async () => {
    const key = unique()
    const [first, second] = [
      await family.dealer.call(clients.export, LIST, { key }),
      await family.dealer.call(clients.export, LIST, { key }),
    ]
    expect(second.ticket).not.toBe(first.ticket)
    const stored = [...(await world.stored()).values()].join()
    for (const { ticket } of [first, second]) {
      expect(stored).not.toContain(ticket)
      expect((await fetchFile(ticket)).status).toBe(200)
    }
  })

  test.each(ENDS)('stops working after $what', async ({ end }) => {
    const { reseller, dealer } = await world.family()
    const [own, another] = [await world.again(dealer), await world.again(dealer)]
    const { ticket } = await own.call(clients.export, LIST)
    const kept = await another.call(clients.export, LIST)
    await end({ own, another, reseller })
    expect((await fetchFile(ticket)).status).toBe(404)
    expect((await fetchFile(kept.ticket)).status).toBe(end === logOut ? 200 : 404)
  })

  test('is not issued where it waits for the end of its session', async () => {
    const { dealer } = await world.family()
    const own = await world.again(dealer)
    const { ownerSql } = world.server
    const release = await holdOpen(
      ownerSql,
      (sql) => sql`delete from session where token_hash = ${hash(own.token)}`,
    )
    const exporting = own.send(clients.export, LIST)
    await somebodyWaits(world.server.sql)
    await release()
    expect(await exporting).toMatchObject({ status: 401, body: { code: 'no_session' } })
  })

  test('stops working when its session expires', async () => {
    const soon = new Date(world.clock.now.getTime() + 30_000)
    const { ticket } = await (await world.again(family.dealer, soon)).call(clients.export, LIST)
    world.clock.pass({ seconds: 30 })
    expect((await fetchFile(ticket)).status).toBe(404)
  })
})

describe('the CSV of transactions', () => {
  const COLUMNS = 'Date,Type,Credits,Login,MAC,Description,Expiry,Dealer,By,Reseller'.split(',')

  async function transactions(person: Person, from: string, to: string): Promise<string[][]> {
    const { ticket } = await person.call(desk[person.role].exportTransactions, { from, to })
    const { headers, text } = await fetchFile(ticket)
    const named = from === to ? from : `${from}-to-${to}`
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="boxtree-transactions-${named}.csv"`,
    )
    const [columns, ...rows] = parse(text)
    const above = person.role === 'dealer' ? [] : ['Super Reseller']
    expect(columns).toEqual([...COLUMNS, ...above, 'Signed Credits'])
    for (const row of rows) {
      const sign = /USED|REMOVE/.test(row[1] ?? '') ? '-' : ''
      expect(row.at(-1), row.join()).toBe(row[1] === 'MOVE' ? '0' : sign + row[2])
    }
    return rows.map((row) => row.slice(0, -1))
  }

  test('has those of an account and of all accounts beneath it, oldest first, with who acted', async () => {
    world.clock.set('2026-06-01T12:00:00.000Z')
    const { superreseller, reseller, dealer } = await world.family({ credits: 9 })
    world.clock.pass({ seconds: 1 })
    const client = await world.client(dealer, { months: 2, desc: 'of the pub' })
    const path = [reseller.name, superreseller.name]
    const rows = [
      [
        '2026-06-01 13:00:00',
        'ADD',
        '9',
        superreseller.name,
        '',
        '',
        '',
        '',
        world.admin.name,
        '',
        superreseller.name,
      ],
      ['2026-06-01 13:00:00', 'ADD', '9', reseller.name, '', '', '', '', superreseller.name, ...path],
      ['2026-06-01 13:00:00', 'ADD', '9', dealer.name, '', '', '', dealer.name, reseller.name, ...path],
      [
        '2026-06-01 13:00:01',
        'USED',
        '2',
        client.name,
        client.mac,
        'of the pub',
        '2026-08-01',
        dealer.name,
        dealer.name,
        ...path,
      ],
    ]
    expect(await transactions(superreseller, '2026-06-01', '2026-06-01')).toEqual(rows)
    expect(await transactions(reseller, '2026-06-01', '2026-06-01')).toEqual(rows.slice(1))
    const known = rows.slice(2).map((row) => row.slice(0, -1))
    expect(await transactions(dealer, '2026-06-01', '2026-06-01')).toEqual(known)
    expect(await transactions(world.admin, '2026-06-01', '2026-06-01')).toEqual(rows)
  })

  test('has credits with their sign as plain numbers, whose sum is what the balance changed by', async () => {
    world.clock.set('2026-06-11T12:00:00.000Z')
    const { reseller, dealer } = await world.family({ credits: 9 })
    const { name } = await world.client(dealer, { months: 5 })
    await dealer.call(clients.retrieve, { login: name, credits: 2 })
    await reseller.call(calls.level.dealer.save, { name: dealer.name, credits: 1, transaction: 1 })
    await world.client(dealer)
    const day = { from: '2026-06-11', to: '2026-06-11' }
    const { ticket } = await dealer.call(desk.dealer.exportTransactions, day)
    const signed = parse((await fetchFile(ticket)).text)
      .slice(1)
      .map((row) => row.at(-1))
    expect(signed).toEqual(['9', '-5', '2', '-1', '0'])
    const { credits } = await dealer.call(calls.credits.dealer, {})
    expect(signed.reduce((sum, one) => sum + Number(one), 0)).toBe(credits)
  })

  test('says which of the named clients are there no longer, and has the others', async () => {
    const { dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer)
    const stranger = await world.client((await world.family()).dealer)
    const { ticket, missing } = await dealer.call(clients.export, {
      ...LIST,
      clients: [name.toUpperCase(), stranger.name, 'was-deleted'],
    })
    expect(missing).toEqual([stranger.name, 'was-deleted'])
    expect(parse((await fetchFile(ticket)).text).map(([first]) => first)).toEqual(['Name', name])
    await dealer.refused('not_found', clients.export, { ...LIST, clients: [stranger.name] })
  })

  test('has an apostrophe before what a spreadsheet would show as another number, or as a date', async () => {
    const { dealer } = await world.family()
    const logins = ['12E45', '10.10', '00.12', '1-2-26', 'March1', 'dec-10', '12345', '1.5a-b', 'marie1']
    for (const login of logins) {
      await world.client(dealer, { login, phone: '442079460958', desc: '1234567890123' })
    }
    const rows = (await csvOf(dealer)).slice(1)
    expect(rows.map(([name]) => name).sort()).toEqual(
      ["'12E45", "'10.10", "'00.12", "'1-2-26", "'March1", "'dec-10", '12345', '1.5a-b', 'marie1'].sort(),
    )
    for (const row of rows) expect([row[1], row[7]]).toEqual(["'1234567890123", "'442079460958"])
  })

  test('adds nothing that was paid from another balance to the sum of a client that was moved', async () => {
    world.clock.set('2026-06-13T12:00:00.000Z')
    const { reseller, dealer } = await world.family({ credits: 9 })
    const heir = await world.child(reseller)
    const { name } = await world.client(dealer, { months: 5 })
    await reseller.call(calls.tree.moveClients, { from: dealer.name, to: heir.name, clients: [name] })
    await heir.call(clients.retrieve, { login: name, credits: 2 })
    const day = { from: '2026-06-13', to: '2026-06-13', client: name }
    const { ticket } = await heir.call(desk.dealer.exportTransactions, day)
    const signed = parse((await fetchFile(ticket)).text)
      .slice(1)
      .map((row) => row.at(-1))
    expect(signed).toEqual(['0', '0', '2'])
  })

  test('names nobody above the direct parent of the account that exports it', async () => {
    world.clock.set('2026-06-02T12:00:00.000Z')
    const { superreseller, reseller, dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer)
    await world.admin.call(admin.remove, { name })
    const actors = async (person: Person) =>
      (await transactions(person, '2026-06-02', '2026-06-02')).map((row) => row[8])
    const all = [world.admin, superreseller, reseller, dealer, world.admin].map((person) => person.name)
    expect(await actors(world.admin)).toEqual(all)
    expect(await actors(superreseller)).toEqual(all)
    expect(await actors(reseller)).toEqual([superreseller.name, reseller.name, dealer.name, '—'])
    expect(await actors(dealer)).toEqual([reseller.name, dealer.name, '—'])
    const { ticket } = await dealer.call(desk.dealer.exportTransactions, {
      from: '2026-06-02',
      to: '2026-06-02',
    })
    const { text } = await fetchFile(ticket)
    for (const above of [superreseller.name, world.admin.name]) expect(text).not.toContain(above)
  })

  test('shows script as text, and has no cell that a spreadsheet runs as a formula', async () => {
    world.clock.set('2026-06-20T12:00:00.000Z')
    const { reseller, dealer } = await world.family()
    const texts = ['=HYPERLINK("http://x","y")', '@SUM(1)', '+1', '-1', '<script>alert(1)</script>', "'=1"]
    for (const desc of texts) {
      await reseller.call(calls.level.dealer.save, { name: dealer.name, credits: 0, transaction: 0, desc })
      await world.client(dealer, { desc })
    }
    const rows = await transactions(reseller, '2026-06-20', '2026-06-20')
    expect(rows.map((row) => row[5])).toEqual(texts.map((text) => (/^[=@+-]/.test(text) ? `'${text}` : text)))
  })

  test('has no formula behind a semicolon either, at which Excel begins a cell in many countries', async () => {
    world.clock.set('2026-06-22T12:00:00.000Z')
    const { reseller, dealer } = await world.family()
    for (const desc of ['x;=HYPERLINK(A1);', 'a; -5;@b', 'one;two; three', 'x;"=1+1;', 'x;""=1', 'x"; "@a'])
      await world.client(dealer, { desc })
    const day = { from: '2026-06-22', to: '2026-06-22' }
    const { ticket } = await reseller.call(desk.reseller.exportTransactions, day)
    const { text } = await fetchFile(ticket)
    const descriptions = parse(text)
      .slice(1)
      .map((row) => row[5])
    expect(descriptions.slice(0, 3)).toEqual(["x;'=HYPERLINK(A1);", "a;' -5;'@b", 'one;two; three'])
    const cells = cellsBySemicolon(text)
    expect(cells.length).toBeGreaterThan(15)
    expect(cells.filter((cell) => /^\s*[=+@-]/.test(cell))).toEqual([])
  })

  test('includes the first day and the last, in the time zone of the business', async () => {
    const { dealer } = await world.family({ credits: 9 })
    const moments = [
      '2026-07-09T22:59:59.999Z',
      '2026-07-09T23:00:00.000Z',
      '2026-07-10T12:00:00.000Z',
      '2026-07-11T22:59:59.999Z',
      '2026-07-11T23:00:00.000Z',
    ]
    const names = []
    for (const moment of moments) {
      world.clock.set(moment)
      names.push((await world.client(dealer)).name)
    }
    const rows = await transactions(dealer, '2026-07-10', '2026-07-11')
    expect(rows.map((row) => row[3])).toEqual(names.slice(1, 4))
  })

  test('may have any first and last day', async () => {
    expect((await transactions(world.admin, '0000-01-01', '9999-12-31')).length).toBeGreaterThan(10)
  })

  test.each([
    { from: '2026-07-11', to: '2026-07-10' },
    { from: '2026-02-30', to: '2026-03-01' },
    { from: 'yesterday', to: '2026-03-01' },
    { from: '2026-03-01' },
    { from: '2026-03-01', to: '10000-01-01' },
    { from: '+010000-01-01', to: '+010000-01-02' },
  ])('needs a first and a last day in this order: not %j', async (days) => {
    const { body } = await family.dealer.send(desk.dealer.exportTransactions, days)
    expect(body).toMatchObject({ code: 'invalid_input' })
  })
})

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

  test('makes room for an account that has no file, if the readers in all places stand still', async () => {
    // Not setTimeout, which the database driver needs to connect.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    const readers = await Promise.all([open(), open(), open(world.admin), open(world.admin)])
    await expectTransactions(4)
    const { ticket } = await family.dealer.call(clients.export, LIST)
    const arrival = once(world.server.app.server, 'request')
    let answer: Answer | undefined
    const waiting = fetchFile(ticket).then((file) => {
      answer = file
    })
    await arrival
    while (!answer) {
      vi.advanceTimersByTime(1_000)
      await pause(20)
    }
    await waiting
    expect(answer?.status).toBe(200)
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
      const tellsOfSlow = (line: string) => line.includes('The reader of a file is too slow')
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

describe('a PDF of clients', () => {
  test('embeds its own font, and is intact whatever text it shows', async () => {
    const { dealer } = await world.family({ credits: 1 })
    for (const desc of [
      '<script>alert(1)</script>',
      '(unbalanced \\ ) >> endstream',
      "=cmd|'/C calc'!A0",
      'Ђорђе Ψυχή Żółć 日本',
      'x'.repeat(100),
    ]) {
      await world.client(dealer, { desc })
    }
    const { ticket } = await dealer.call(clients.export, { ...LIST, format: 'pdf' })
    const response = await fetch(`${world.server.url}/v1/exports/${ticket}`)
    expect(response.headers.get('content-type')).toBe('application/pdf')
    expect(response.headers.get('content-disposition')).toMatch(/boxtree-clients-.*\.pdf/)
    const file = Buffer.from(await response.arrayBuffer())
    const text = file.toString('latin1')
    expect(text).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/)
    expect(text).toContain('DejaVuSansCondensed')
    expect(text.match(/\/Type \/Page\b/g)).toHaveLength(1)
    // Shown letter for letter, and nothing that a reader would run, open or follow.
    expect(textsOf(file)).toEqual(
      expect.arrayContaining([
        '<script>alert(1)</script>',
        '(unbalanced \\ ) >> endstream',
        "=cmd|'/C calc'!A0",
      ]),
    )
    // The box for a letter that the font lacks is as wide as was measured, so that it covers no other column.
    expect(text).toMatch(/\/W \[0 \[540\./)
    expect(text).not.toMatch(/\/(JS|JavaScript|OpenAction|AA|URI|Launch|EmbeddedFile|Annots|AcroForm)\b/)
  })

  test('has its number and the number of all pages on each page', async () => {
    const { dealer } = await world.family()
    await world.plantClients(dealer, { prefix: 'page', last: 230, digits: 8, description: 'one line' })
    const { ticket } = await dealer.call(clients.export, { ...LIST, format: 'pdf' })
    const response = await fetch(`${world.server.url}/v1/exports/${ticket}`)
    const file = Buffer.from(await response.arrayBuffer())
    const pages = file.toString('latin1').match(/\/Type \/Page\b/g)?.length
    expect(pages).toBe(11)
    const texts = textsOf(file)
    for (let page = 1; page <= 11; page += 1) expect(texts).toContain(`Page ${page} of 11`)
    for (const name of ['page00000001', 'page00000230']) expect(texts).toContain(name)
    for (const column of ['Phone', 'Package', 'Created', 'Expiry State']) expect(texts).toContain(column)
    expect(texts).toContain('All Packages')
    expect(texts.some((text) => text.endsWith(': 230 in all'))).toBe(true)
  })

  test('has every client that it counts, and no other, though more are made meanwhile', async () => {
    const { dealer } = await world.family()
    const plant = (first: number, last: number) =>
      world.plantClients(dealer, { prefix: 'all', first, last, digits: 8 })
    await plant(1, 6_000)
    let isMade = false
    const others = (async () => {
      for (let next = 6_001; !isMade; next += 1) await plant(next, next)
    })()
    const { ticket } = await dealer.call(clients.export, { ...LIST, format: 'pdf' })
    const response = await fetch(`${world.server.url}/v1/exports/${ticket}`)
    const file = Buffer.from(await response.arrayBuffer())
    isMade = true
    await others
    const texts = textsOf(file)
    const names = texts.filter((text) => /^all\d{8}$/.test(text))
    expect(names.length).toBeGreaterThanOrEqual(6_000)
    expect(texts.find((text) => text.endsWith(' in all'))).toMatch(
      `: ${names.length.toLocaleString('en-US')} in all`,
    )
  })
})
