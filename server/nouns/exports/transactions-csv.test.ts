import { describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { filesOf, parse } from '../../../test/support/exports.ts'
import { Clock, type Person, suiteWorld } from '../../../test/support/world.ts'

const { clients, admin, desk } = calls

const world = await suiteWorld({
  clock: new Clock('2026-03-28T12:00:00.000Z'),
  env: { TIME_ZONE: 'Europe/Lisbon' },
})
const { fetchFile } = filesOf(world)
const family = await world.family()

/**
 * Returns the cells that a spreadsheet finds which separates them by semicolons, and forgives what follows a quoted
 * part.
 */
function cellsBySemicolon(csv: string): string[] {
  return csv
    .split('\r\n')
    .flatMap((line) => [...line.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)"?)?([^;]*)/g)])
    .map(([, quoted = '', rest = '']) => quoted.replaceAll('""', '"') + rest)
}

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
      names.push((await world.client(dealer, { months: '2d' })).name)
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
