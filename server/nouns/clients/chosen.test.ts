import { describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { proveTheBooks } from '../../../test/support/books.ts'
import { suiteWorld, unique } from '../../../test/support/world.ts'

const { detail, list, multiquote, multiremove, multisave } = calls.clients

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '1000' } })
const { dealer } = await world.family({ credits: 50 })

const LONG_OVER = '2026-05-01T23:59:59.000Z'

async function made(count: number, expired = false): Promise<string[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => world.client(dealer)))
  const names = clients.map(({ name }) => name)
  if (expired) for (const name of names) await world.setExpiry(name, LONG_OVER)
  return names
}

describe('a quote for chosen clients', () => {
  test('says of each, in the order of the names, whether it has expired, its package and its switch', async () => {
    const [gone = '', off = ''] = await made(2)
    await dealer.call(multisave, { clients: [off], status: false, package_selection: 7 })
    await world.setExpiry(gone, LONG_OVER)
    expect(await dealer.call(multiquote, { clients: [off, gone.toUpperCase()] })).toEqual({
      status: 'OK',
      data: [
        { name: off, expiry: expect.any(String), expired: false, status: false, package_selection: 7 },
        { name: gone, expiry: LONG_OVER, expired: true, status: true, package_selection: 1 },
      ],
    })
  })
})

describe('a change of chosen clients', () => {
  test('gives all of them a package, switches them off and on, and leaves all else as it was', async () => {
    const names = await made(3)
    const before = await Promise.all(names.map((name) => dealer.call(detail, { name })))
    expect(await dealer.call(multisave, { clients: names, package_selection: 33 })).toEqual({
      status: 'OK',
      count: 3,
    })
    await dealer.call(multisave, { clients: names, status: false })
    for (const [at, name] of names.entries()) {
      expect(await dealer.call(detail, { name })).toEqual({
        ...before[at],
        status: false,
        package_selection: 33,
        tariff_plan: 'Italian/Adults',
      })
    }
    await dealer.call(multisave, { clients: names, status: true })
    expect(await dealer.call(detail, { name: names[0] ?? '' })).toMatchObject({ status: true })
  })

  test('changes none of them where one has expired, and names it', async () => {
    const names = await made(2)
    const [gone = ''] = await made(1, true)
    const { message } = await dealer.refused('client_expired', multisave, {
      clients: [...names, gone],
      status: false,
    })
    expect(message).toBe(`${gone} has expired. Renew it to change it.`)
    for (const name of names) expect(await dealer.call(detail, { name })).toMatchObject({ status: true })
  })

  test('that changes nothing leaves no trace', async () => {
    const clients = await made(2)
    const audited = async () =>
      (await world.server.sql`select from audit where event = 'clients.multisave'`).length
    const before = await audited()
    expect(await dealer.call(multisave, { clients, status: true })).toEqual({ status: 'OK', count: 2 })
    expect(await audited()).toBe(before)
    await dealer.call(multisave, { clients, status: false })
    expect(await audited()).toBe(before + 1)
  })

  test('needs a package or a status', async () => {
    const clients = await made(1)
    await dealer.refused('invalid_input', multisave, { clients })
  })
})

describe('a deletion of chosen clients', () => {
  test('frees their logins and MACs, and notes each of them, also when it is repeated under its key', async () => {
    const names = await made(3, true)
    const macs = await Promise.all(names.map(async (name) => (await dealer.call(detail, { name })).mac))
    const key = unique()
    for (const _ of [1, 2]) {
      expect(await dealer.call(multiremove, { clients: names }, { key })).toEqual({ status: 'OK', count: 3 })
    }
    for (const name of names) await dealer.refused('not_found', detail, { name })
    const rows = (await dealer.call(calls.desk.dealer.transactions)).filter(({ type }) => type === 'DELETE')
    expect(rows.map(({ login, mac, credits, actor }) => [login, mac, credits, actor]).sort()).toEqual(
      names.map((name, at) => [name, macs[at], 0, dealer.name]).sort(),
    )
    await world.client(dealer, { login: names[0] ?? '', stb_mac: macs[1] ?? '', months: 1 })
    await proveTheBooks(world.server.sql)
  })

  test('deletes none of them where one has not expired, and names it', async () => {
    const names = await made(2, true)
    const [living = ''] = await made(1)
    const { message } = await dealer.refused('client_not_expired', multiremove, {
      clients: [...names, living],
    })
    expect(message).toBe(`${living} has not expired. Only expired clients can be deleted.`)
    for (const name of names) expect((await dealer.call(detail, { name })).expiry).toBe(LONG_OVER)
  })
})

test("one client of somebody else's among the chosen ones is not found, and nothing is done to the others", async () => {
  const stranger = (await world.family()).dealer
  const { name: theirs } = await world.client(stranger)
  await world.setExpiry(theirs, LONG_OVER)
  const [mine = ''] = await made(1, true)
  const clients = [mine, theirs]
  expect((await dealer.call(multiquote, { clients })).data.map(({ name }) => name)).toEqual([mine])
  await dealer.refused('not_found', multiquote, { clients: [theirs] })
  await dealer.refused('not_found', multisave, { clients, status: false })
  await dealer.refused('not_found', multiremove, { clients })
  expect((await dealer.call(calls.clients.export, { format: 'csv', clients })).missing).toEqual([theirs])
  expect((await dealer.call(list, { search: mine })).count).toBe(1)
  expect((await stranger.call(list)).data).toMatchObject([{ name: theirs, status: true }])
})

test('an export of chosen clients has those alone, in the order of the list', async () => {
  const names = await made(3)
  const [, ...chosen] = [...names].sort()
  const { ticket } = await dealer.call(calls.clients.export, {
    format: 'csv',
    order: 'desc',
    clients: chosen.map((name) => name.toUpperCase()),
  })
  const { text } = await world.nobody().fetch('GET', `/v1/exports/${ticket}`)
  const lines = text.trim().split('\r\n').slice(1)
  expect(lines.map((line) => line.split(',')[0])).toEqual(chosen.reverse().map((name) => `"${name}"`))
})

test('a thousand chosen clients are changed and deleted at once', async () => {
  await world.plantClients(dealer, { prefix: 'bulk', last: 1_000, digits: 5 })
  const clients = Array.from({ length: 1_000 }, (_, at) => `bulk${String(at + 1).padStart(5, '0')}`)
  expect(await dealer.call(multisave, { clients, package_selection: 2, status: false })).toMatchObject({
    count: 1_000,
  })
  await world.server.ownerSql`update service set expiry = ${LONG_OVER} where name like 'bulk%'`
  expect(await dealer.call(multiremove, { clients: clients.reverse() })).toMatchObject({ count: 1_000 })
  expect((await dealer.call(list, { search: 'bulk' })).count).toBe(0)
  await proveTheBooks(world.server.sql)
})
