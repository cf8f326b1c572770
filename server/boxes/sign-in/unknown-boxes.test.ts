import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { Box } from '../../../test/support/box.ts'
import { type Family, openWorld, uniqueMac, type World } from '../../../test/support/world.ts'
import { openUnknownBoxes } from './unknown-boxes.ts'

const { macLastSeen } = calls.clients

let world: World
let family: Family
beforeAll(async () => {
  world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  family = await world.family({ credits: 20 })
})
afterAll(() => world.close())

/** Lets a box sign in, and its server store what it told. */
async function signIn(box: Box): Promise<void> {
  world.clock.pass({ seconds: 5 })
  await box.signIn()
  await world.server.gateway.write()
}

function boxOf(mac = uniqueMac()): Box {
  return new Box(world.server, { mac, address: '203.0.113.7' })
}

/** Unknown boxes as another server knows them. */
function unknownElsewhere() {
  const unknown = openUnknownBoxes(world.server.sql, pino({ level: 'silent' }), () => world.clock.now)
  return {
    note: (mac: string, now: Date, address: string | null = null) =>
      unknown.note(
        {
          ...{ call: '', mac, token: '', gone: null, place: { address, network: null, counted: null } },
          ...{ field: () => '', list: () => [] },
        },
        now,
      ),
    write: () => unknown.write(),
  }
}

test('of a flood of unknown boxes 1,000 are stored at once, and those that ask again are counted', async () => {
  const unknown = unknownElsewhere()
  const ask = (nr: number) => {
    const mac = `00:1A:78:00:${nr
      .toString(16)
      .toUpperCase()
      .padStart(4, '0')
      .replace(/..(?=.)/, '$&:')}`
    unknown.note(mac, world.clock.now)
  }
  for (let nr = 0; nr < 1_500; nr += 1) ask(nr)
  ask(0)
  await unknown.write()
  const { sql } = world.server
  expect(await sql`select count(*), max(times) as most from unknown_box where mac like '00:1A:78:%'`).toEqual(
    [{ count: 1_000, most: 2 }],
  )
})

test('what an unknown box reported is not replaced by an older report, which another server stores later', async () => {
  const mac = uniqueMac()
  const [newer, older] = [unknownElsewhere(), unknownElsewhere()]
  older.note(mac, world.clock.now, '203.0.113.1')
  world.clock.pass({ seconds: 1 })
  newer.note(mac, world.clock.now, '203.0.113.2')
  for (const server of [newer, older]) await server.write()
  expect(await world.server.sql`select asked, address from unknown_box where mac = ${mac}`).toEqual([
    { asked: world.clock.now.toISOString(), address: '203.0.113.2' },
  ])
})

test('what an unknown box asked while the clock was ahead is shown no more once it is right, and gives way to what it asks then', async () => {
  const box = boxOf('00:1A:79:FA:CE:01')
  const { name } = await world.client(family.dealer, { months: 1, stb_mac: '00:1A:79:FA:CE:02' })
  const shown = async () => ({
    typed: (await family.dealer.call(macLastSeen, { mac: box.mac })).asked,
    listed: (await world.admin.call(calls.boxes.unknown, { search: box.mac })).data.map(({ asked }) => asked),
    near: (await family.dealer.call(calls.clients.detail, { name })).near_box,
  })
  world.clock.pass({ days: 1 })
  await signIn(box)
  world.clock.pass({ days: -1 })
  expect(await shown()).toEqual({ typed: null, listed: [], near: null })
  await signIn(box)
  const asked = world.clock.now.toISOString()
  expect(await shown()).toEqual({
    typed: asked,
    listed: [asked],
    near: { mac: box.mac, asked, digits: 1 },
  })
})

describe('the MAC that a dealer types', () => {
  test('is that of a box that asked, or of none', async () => {
    const box = boxOf()
    expect(await family.dealer.call(macLastSeen, { mac: box.mac })).toEqual({ asked: null })
    await signIn(box)
    const first = world.clock.now.toISOString()
    expect(await family.dealer.call(macLastSeen, { mac: box.mac.toLowerCase() })).toEqual({ asked: first })
    world.clock.pass({ minutes: 2 })
    await signIn(box)
    expect(await family.dealer.call(macLastSeen, { mac: box.mac })).toEqual({
      asked: world.clock.now.toISOString(),
    })
    expect(await world.server.sql`select * from unknown_box where mac = ${box.mac}`).toEqual([
      {
        mac: box.mac,
        first_asked: first,
        asked: world.clock.now.toISOString(),
        times: 2,
        address: '203.0.113.7',
        stb_type: 'MAG250',
        version: 'ImageDescription: 0.2.18-r23',
      },
    ])
  })

  test('is that of a box that asked also where a client had it that was deleted', async () => {
    const box = boxOf()
    const { name } = await world.client(family.dealer, { months: 1, stb_mac: box.mac })
    await world.admin.call(calls.admin.remove, { name })
    await signIn(box)
    expect(await family.dealer.call(macLastSeen, { mac: box.mac })).toEqual({
      asked: world.clock.now.toISOString(),
    })
  })

  test("tells of the dealer's own client when its box asked, also where it was refused", async () => {
    const { name, mac } = await world.client(family.dealer, { months: 1 })
    expect(await family.dealer.call(macLastSeen, { mac })).toEqual({ asked: null })
    await family.dealer.call(calls.clients.save, { login: name, status: false })
    await signIn(boxOf(mac))
    expect(await family.dealer.call(macLastSeen, { mac })).toEqual({ asked: world.clock.now.toISOString() })
  })

  test("tells of the dealer's own client also where somebody else's Ministra client has signed in on its box", async () => {
    const box = new Box(world.server)
    const { dealer: sibling } = await world.family({ credits: 5 })
    const { name } = await world.client(sibling, { ministra: true, password: 'pass word', months: 1 })
    await box.logIn(name, 'pass word')
    await world.server.gateway.write()
    // A box that was seen within a day keeps its MAC.
    world.clock.pass({ days: 1 })
    await world.client(family.dealer, { stb_mac: box.mac, months: 1 })
    world.clock.pass({ seconds: 5 })
    await box.signIn()
    await world.server.gateway.write()
    expect(await family.dealer.call(macLastSeen, { mac: box.mac })).toEqual({
      asked: world.clock.now.toISOString(),
    })
  })

  test("says nothing of somebody else's client, whether its box asked before it was made or since", async () => {
    const sibling = await world.child(family.reseller)
    const [box, ofLogin] = [boxOf(), boxOf()]
    await signIn(box)
    await signIn(ofLogin)
    expect((await sibling.call(macLastSeen, { mac: box.mac })).asked).not.toBeNull()
    await world.client(family.dealer, { months: 1, stb_mac: box.mac })
    const { name } = await world.client(family.dealer, { months: 1, ministra: true, password: 'password' })
    expect(await ofLogin.logIn(name, 'password')).toBe(0)
    for (const { mac } of [box, ofLogin])
      expect(await sibling.call(macLastSeen, { mac })).toEqual({ asked: null })
    await signIn(box)
    expect(await sibling.call(macLastSeen, { mac: box.mac })).toEqual({ asked: null })
    expect((await family.dealer.call(macLastSeen, { mac: box.mac })).asked).not.toBeNull()
    expect((await family.dealer.call(macLastSeen, { mac: ofLogin.mac })).asked).not.toBeNull()
  })
})
