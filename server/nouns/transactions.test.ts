import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { openWorld, type Person, type World } from '../../test/support/world.ts'

type Rows = OutputOf<typeof calls.clients.history>

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

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
    // The account's owner reads the same rows as the account's history.
    expect(await reseller.call(calls.level.dealer.history, { name: dealer.name })).toEqual(await own(dealer))
    const above = await superreseller.call(calls.level.reseller.history, {
      name: reseller.name.toUpperCase(),
    })
    expect(above).toEqual(await own(reseller))
    const top = await world.admin.call(calls.level.superreseller.history, { name: superreseller.name })
    expect(top).toEqual(await own(superreseller))
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
