import { beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { filesOf, LIST, parse } from '../../../test/support/exports.ts'
import { Clock, type Person, suiteWorld, unique } from '../../../test/support/world.ts'

const { clients } = calls

const world = await suiteWorld({
  clock: new Clock('2026-03-28T12:00:00.000Z'),
  env: { TIME_ZONE: 'Europe/Lisbon' },
})
const { fetchFile, csvOf } = filesOf(world)
const family = await world.family()
const other = await world.family()

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
    const logins = [
      '12E45',
      '10.10',
      '00.12',
      '1-2-26',
      'March1',
      'dec-10',
      '10jan',
      '10-mar-26',
      '12345.',
      '.12345',
      'false',
      '12345',
      '1.5a-b',
      '1.2..a',
      'marie1',
    ]
    for (const login of logins) {
      await world.client(dealer, { login, phone: '442079460958', desc: '1234567890123' })
    }
    const rows = (await csvOf(dealer)).slice(1)
    expect(rows.map(([name]) => name).sort()).toEqual(
      [
        "'12E45",
        "'10.10",
        "'00.12",
        "'1-2-26",
        "'March1",
        "'dec-10",
        "'10jan",
        "'10-mar-26",
        "'12345.",
        "'.12345",
        "'false",
        '12345',
        '1.5a-b',
        '1.2..a',
        'marie1',
      ].sort(),
    )
    for (const row of rows) expect([row[1], row[7]]).toEqual(["'1234567890123", "'442079460958"])
  })

  test('has an apostrophe before a description that a spreadsheet would take for a date, a time or a number, and before no other', async () => {
    const { dealer } = await world.family({ credits: 40 })
    const taken = [
      '10/12',
      '1/2/26',
      '1 jan',
      '10 Jan 2026',
      '12:30',
      '12:30 pm',
      '3 PM',
      '2026-11-30 10:00',
      '30/11/2026 18:00:30',
      '11/30/2026 6:00 PM',
      'Nov 30, 2026',
      'November 30 2026',
      '30 Nov 2026 9:30',
      '1 1/2',
      '1,200',
      '5%',
      '(120)',
    ]
    const plain = [
      '2 boxes',
      '10 Downing Street',
      'march on',
      '3 pmx',
      'room 10/12',
      '12)',
      '(12',
      '1..2',
      'at 10:00',
      'May 3 boxes',
    ]
    for (const desc of [...taken, ...plain]) await world.client(dealer, { desc, months: 1 })
    const descriptions = (await csvOf(dealer)).slice(1).map((row) => row[1])
    expect(descriptions.sort()).toEqual([...taken.map((text) => `'${text}`), ...plain].sort())
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
