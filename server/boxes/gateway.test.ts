import { once } from 'node:events'
import { type IncomingMessage, METHODS, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOX_REFUSALS } from '../../contract/box-refusals.ts'
import { calls } from '../../contract/calls.ts'
import { Box } from '../../test/support/box.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import {
  type Family,
  newClient,
  openWorld,
  type Person,
  unique,
  uniqueMac,
  type World,
} from '../../test/support/world.ts'
import { storedAs } from './memory/presence.ts'
import { ON_SCREEN } from './refusals.ts'
import { POLLING } from './wire/answers.ts'

const { create, detail, deviceHistory, save, reset, renew } = calls.clients

let world: World
let family: Family
let dealer: Person

beforeAll(async () => {
  world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1', BOX_PORT: '0' } })
  family = await world.family({ credits: 500 })
  dealer = family.dealer
})
afterAll(() => world.close())

/** Lets the time pass after which a gateway has heard of every change. */
function soon(): void {
  world.clock.pass({ seconds: 5 })
}

async function boxOf(more: ConstructorParameters<typeof Box>[1] = {}, input: object = {}) {
  const { name, mac } = await world.client(dealer, { months: 1, ...input })
  return { name, box: new Box(world.server, { mac, address: '203.0.113.7', ...more }) }
}

async function ministra(more: ConstructorParameters<typeof Box>[1] = {}) {
  const { name } = await world.client(dealer, { months: 1, ministra: true, password: 'pass word' })
  return { name, box: new Box(world.server, { address: address(), ...more }) }
}

/** Suspends the dealer, and the service of all clients. */
async function suspend(): Promise<void> {
  await family.reseller.call(calls.tree.suspend, { name: dealer.name, reason: '', service_too: true })
}

async function lift(): Promise<void> {
  await family.reseller.call(calls.tree.lift, { name: dealer.name })
  dealer = await world.again(dealer)
}

let addresses = 0
/** An address of its own, so that what one test counts does not meet another. */
function address(): string {
  addresses += 1
  return `198.51.${100 + Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

/** What the dealer sees of a client's box. */
async function seen(name: string) {
  await world.server.gateway.write()
  return dealer.call(detail, { name })
}

/** Polls once more, and has that stored. */
async function pollAgain(box: Box): Promise<void> {
  soon()
  expect(await box.poll()).toBe(true)
  await world.server.gateway.write()
}

async function historyOf(name: string) {
  await world.server.gateway.write()
  const rows = await dealer.call(deviceHistory, { name })
  return rows.map(({ event, detail, address, actor }) => ({ event, detail, address, actor })).reverse()
}

test.each(['its first at either', 'the first after a sign-in at that other'])(
  'a poll at one gateway is seen also where another stores a later refusal before it: %s',
  async (which) => {
    const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const { name, box } = await boxOf()
      const first = which === 'its first at either' ? box.at(other) : box
      expect(await first.signIn()).toBe(0)
      box.token = first.token
      soon()
      expect(await box.at(other).poll()).toBe(true)
      const polled = world.clock.now.toISOString()
      await dealer.call(save, { login: name, status: false })
      soon()
      expect(await box.poll()).toBe(false)
      await world.server.gateway.write()
      await other.gateway.write()
      expect(await dealer.call(detail, { name })).toMatchObject({
        last_active: polled,
        box_refusal: 'switched_off',
      })
    } finally {
      await other.close()
    }
  },
)

describe('a box of a client with a MAC', () => {
  test('signs in, polls, and is shown to its dealer', async () => {
    const { name, box } = await boxOf({
      told: { sn: '012010N0250438', device_id: 'D1', hw_version: '1.7-BD-00', image_version: '218' },
    })
    await box.handshake()
    expect(await box.getProfile()).toMatchObject({ status: 0, allowed_stb_types: ['mag250'] })
    expect(await seen(name)).toMatchObject({
      stb_sn: '012010N0250438',
      stb_type: 'MAG250',
      version: 'ImageDescription: 0.2.18-r23',
      online: true,
      last_active: world.clock.now.toISOString(),
      locked_to_ip: null,
      box_refusal: null,
    })
    world.clock.pass({ seconds: 301 })
    expect(await seen(name)).toMatchObject({ online: false })
    expect(await box.poll()).toBe(true)
    expect(await seen(name)).toMatchObject({ online: true, last_active: world.clock.now.toISOString() })
    expect(await box.call('account_info/get_main_info')).toMatchObject({
      fname: name,
      phone: '',
      tariff_plan: 'All Packages',
      end_date: '06.15.2026 (31 days)',
    })
    expect(await historyOf(name)).toEqual([
      { event: 'first seen', detail: '012010N0250438', address: '203.0.113.7', actor: null },
    ])
  })

  test.each([
    '/portal.php',
    '/server/load.php',
    '/stalker_portal/server/load.php',
    '/c/server/load.php',
    '/c',
    '/stalker_portal/c',
    '/',
  ])('is answered at %s, by GET and by POST, with its MAC in any form', async (path) => {
    const { box } = await boxOf()
    await box.signIn()
    for (const method of ['GET', 'POST'] as const) {
      for (const mac of [box.mac, box.mac.toLowerCase(), encodeURIComponent(box.mac)]) {
        const headers = { cookie: `stb_lang=en; mac=${mac}` }
        const fields = { JsHttpRequest: '1-xml' }
        const answer = await box.ask('watchdog/get_events', fields, { path, method, headers })
        expect(JSON.parse(answer.text)).toEqual({ js: { data: { msgs: 0, additional_services_on: '1' } } })
        // Most of these by GET are answered before Fastify sees them, and none by POST.
        const { date, 'x-request-id': id, ...headersOfBoth } = Object.fromEntries(answer.headers)
        expect([Date.parse(date ?? ''), id]).toEqual([expect.any(Number), expect.stringMatching(/^\w{12}$/)])
        expect(headersOfBoth).toEqual({
          'cache-control': 'no-store',
          connection: 'keep-alive',
          'content-length': String(answer.text.length),
          'content-type': 'application/json; charset=utf-8',
          'keep-alive': 'timeout=5',
          'x-content-type-options': 'nosniff',
        })
      }
    }
  })

  test.each([
    ['application/json', '{"mac":"00:1A:79:00:00:01","type":"none","action":"none"}'],
    ['application/json', ''],
    ['text/plain', 'type=none&action=none'],
    ['multipart/form-data; boundary=none', 'none'],
  ])('is answered by the query of a POST, whose body is of the type %s: %s', async (type, body) => {
    const { box } = await boxOf()
    const post = (body: string) =>
      fetch(`${world.server.boxUrl}/portal.php?type=stb&action=handshake`, {
        method: 'POST',
        headers: { cookie: `mac=${box.mac}`, 'content-type': type },
        body,
      })
    expect(await (await post(body)).json()).toMatchObject({ js: { token: expect.any(String) } })
    expect((await post('x'.repeat(8 * 1024 + 1))).status).toBe(413)
  })

  test('that tells no type is told of no types either', async () => {
    const { box } = await boxOf({ told: { stb_type: '' } })
    await box.handshake()
    const profile = await box.getProfile()
    expect([profile.status, Object.hasOwn(profile, 'allowed_stb_types')]).toEqual([0, false])
  })

  test('is told to poll every 120 seconds, whether it is in, refused or asked for a login', async () => {
    const { name, box } = await boxOf()
    const { box: stranger } = await ministra()
    await stranger.handshake()
    await box.handshake()
    const polling = { timeslot: 120, watchdog_timeout: 120 }
    expect(await box.getProfile()).toMatchObject({ status: 0, ...polling })
    expect(await stranger.getProfile()).toMatchObject({ status: 2, ...polling })
    await dealer.call(save, { login: name, status: false })
    soon()
    expect(await box.getProfile()).toMatchObject({ status: 1, ...polling })
  })

  test('gets its token back while it is in, and another one otherwise', async () => {
    const { box } = await boxOf()
    await box.signIn()
    const { token } = box
    await box.handshake(token)
    expect(box.token).toBe(token)
    await box.handshake('F'.repeat(48))
    expect(box.token).not.toBe(token)
    await box.getProfile()
    await box.handshake(token)
    expect(box.token).not.toBe(token)
  })

  test.each([
    ['a reset', (name: string) => dealer.call(reset, { name })],
    ['a new password', (name: string) => dealer.call(save, { login: name, password: 'another-one' })],
    [
      'another MAC and back',
      async (name: string, { mac }: Box) => {
        const between = uniqueMac()
        await dealer.call(save, { login: name, stb_mac: between, o_mac: mac })
        await dealer.call(save, { login: name, stb_mac: mac, o_mac: between })
      },
    ],
  ])(
    'signs in with another token after %s, so that no copy of the old one is good again',
    async (_what, change) => {
      const { name, box } = await boxOf()
      await box.signIn()
      const copy = box.at(world.server)
      expect(await copy.poll()).toBe(true)
      await change(name, box)
      // At once, although the gateway has not read the log since.
      await box.handshake(box.token)
      expect((await box.getProfile()).status).toBe(0)
      expect(await copy.poll()).toBe(false)
      expect(await box.poll()).toBe(true)
    },
  )

  test('is refused each time for the reason that its dealer then reads', async () => {
    const { name, box } = await boxOf({ told: { sn: 'SN-1' } })
    await box.signIn()
    const walk = [
      [
        'switched_off',
        () => dealer.call(save, { login: name, status: false }),
        () => dealer.call(save, { login: name, status: true }),
      ],
      ['suspended', suspend, lift],
      [
        'expired',
        () => world.setExpiry(name, world.clock.now.toISOString()),
        () => dealer.call(renew, { name, months: 1 }),
      ],
    ] as const
    for (const [reason, begin, end] of walk) {
      // So that the gateway has read all that was changed before.
      soon()
      expect(await box.poll(), reason).toBe(true)
      await begin()
      soon()
      expect(await box.poll(), reason).toBe(false)
      await box.handshake()
      const profile = await box.getProfile()
      expect(profile, reason).toMatchObject({ status: 1, block_msg: ON_SCREEN[reason] })
      await end()
      expect(await seen(name)).toMatchObject({ box_refusal: reason, online: true })
      soon()
      expect(await box.signIn(), reason).toBe(0)
      expect(await seen(name)).toMatchObject({ box_refusal: null })
    }
  })

  test('is refused only for reasons that are stored by a word of 0.2.0, which may run on the same database', () => {
    const released = ['switched_off', 'suspended', 'expired', 'other_address', 'other_box', 'too_many_boxes']
    expect([...new Set(BOX_REFUSALS.map(storedAs))]).toEqual(released)
  })

  test('is told to poll on while it is refused, if that is the page of Boxtree and the token is in', async () => {
    const { name, box } = await boxOf({ told: { sn: 'SN-1', cut: '1' }, obeys: true })
    await box.signIn()
    const app = new Box(world.server, { mac: box.mac, told: { sn: 'SN-1' } })
    const other = new Box(world.server, { mac: box.mac, told: { sn: 'SN-2', cut: '1' }, obeys: true })
    const pollsOn = async (one: Box, token: string) => {
      one.token = token
      const profile = await one.getProfile()
      expect(profile.status).toBe(1)
      return 'polls_on' in profile
    }
    soon()
    // It polls as if it were let in: only its serial number is another one, which no poll tells.
    expect(await pollsOn(other, box.token)).toBe(false)
    await dealer.call(save, { login: name, status: false })
    soon()
    const { token } = box
    expect([await pollsOn(box, token), await box.poll()]).toEqual([true, true])
    expect(await pollsOn(app, token)).toBe(false)
    await box.handshake()
    expect([await pollsOn(box, box.token), await box.poll()]).toEqual([false, false])
  })

  test('that a later version has refused has a reason that this one does not know', async () => {
    const { name, box } = await boxOf()
    await box.signIn()
    await seen(name)
    await world.server.ownerSql`
      update presence set refusal = 'later' where client = (select id from client where name = ${name})`
    expect(await dealer.call(detail, { name })).toMatchObject({ box_refusal: 'other_reason' })
    const { refused } = await world.admin.call(calls.boxes.overview)
    expect(refused).toContainEqual({ reason: 'other_reason', boxes: 1 })
  })

  test('is out exactly at its expiry', async () => {
    const { name, box } = await boxOf()
    await box.signIn()
    await world.setExpiry(name, new Date(world.clock.now.getTime() + 60_000).toISOString())
    world.clock.pass({ seconds: 60 })
    expect(await box.poll()).toBe(true)
    world.clock.pass({ ms: 1 })
    expect(await box.poll()).toBe(false)
  })

  test('is let in once the clock of the server is right again, though it was reset while that was a day ahead', async () => {
    const { name, box } = await boxOf()
    world.clock.pass({ days: 1 })
    await dealer.call(reset, { name })
    world.clock.pass({ days: -1 })
    expect(await box.signIn()).toBe(0)
  })

  test('has no reason of before a reset that was stored only after it', async () => {
    const { name, box } = await boxOf({ address: '203.0.113.30' })
    await dealer.call(save, { login: name, locked: true })
    expect(await box.signIn()).toBe(0)
    box.address = '203.0.113.31'
    expect(await box.signIn()).toBe(1)
    await dealer.call(reset, { name })
    await world.server.gateway.write()
    expect(await dealer.call(detail, { name })).toMatchObject({ box_refusal: null, box_answered: null })
    soon()
    expect(await box.signIn()).toBe(0)
  })

  test('is locked to the address at which it is when IP Lock is switched on again', async () => {
    const { name, box } = await boxOf({ address: '203.0.113.20' })
    await dealer.call(save, { login: name, locked: true })
    expect(await box.signIn()).toBe(0)
    expect(await seen(name)).toMatchObject({ locked_to_ip: '203.0.113.20' })
    box.address = '203.0.113.21'
    expect(await box.signIn()).toBe(1)
    await world.server.gateway.write()
    expect(await seen(name)).toMatchObject({ box_refusal: 'other_address' })
    await dealer.call(save, { login: name, locked: false })
    // What the lock before refused is over.
    expect(await seen(name)).toMatchObject({ locked_to_ip: null, box_refusal: null })
    expect(await box.signIn()).toBe(0)
    await dealer.call(save, { login: name, locked: true })
    expect(await box.signIn()).toBe(0)
    expect(await seen(name)).toMatchObject({ locked_to_ip: '203.0.113.21' })
  })

  test('stays in where IP Lock is switched on and, before its address is stored, off again', async () => {
    const { name, box } = await boxOf({ address: '203.0.113.22' })
    const { box: neighbour } = await boxOf()
    await Promise.all([box.signIn(), neighbour.signIn()])
    await dealer.call(save, { login: name, locked: true })
    soon()
    // By this poll the gateway hears of it, and not yet that it is over.
    expect(await neighbour.poll()).toBe(true)
    await dealer.call(save, { login: name, locked: false })
    expect(await box.poll()).toBe(true)
    expect(await seen(name)).toMatchObject({ locked_to_ip: null })
  })

  test('is refused from another address once it is locked, until a reset', async () => {
    const { name, box } = await boxOf({ address: '2001:db8:1:2::1' })
    const { box: neighbour } = await boxOf()
    await Promise.all([box.signIn(), neighbour.signIn()])
    await dealer.call(save, { login: name, locked: true })
    soon()
    // By this poll the gateway hears of it.
    expect(await neighbour.poll()).toBe(true)
    expect(await box.poll()).toBe(true)
    expect(await seen(name)).toMatchObject({ locked_to_ip: '2001:db8:1:2::/64' })
    box.address = '2001:db8:1:2:ffff::9'
    expect(await box.poll()).toBe(true)
    box.address = '2001:db8:1:3::1'
    expect(await box.poll()).toBe(false)
    await box.handshake()
    expect(await box.getProfile()).toMatchObject({ status: 1, block_msg: ON_SCREEN.other_address })
    expect(await seen(name)).toMatchObject({
      box_refusal: 'other_address',
      locked_to_ip: '2001:db8:1:2::/64',
    })
    await dealer.call(reset, { name })
    expect(await box.signIn()).toBe(0)
    expect(await seen(name)).toMatchObject({ locked_to_ip: '2001:db8:1:3::/64' })
    expect((await historyOf(name)).map(({ event, actor }) => [event, actor])).toEqual([
      ['first seen', null],
      ['reset', dealer.name],
      ['first seen', null],
    ])
  })

  test('is refused once it is locked where a proxy that is not named forwards it, and is not locked to that one', async () => {
    const other = await world.another({ env: { TRUSTED_PROXIES: '192.0.2.1' } })
    try {
      const { name: pinned, box } = await boxOf({ address: '203.0.113.31' })
      const { name: open, box: moving } = await boxOf({ address: '203.0.113.32' })
      const { name: free, box: unlocked } = await boxOf({ address: '203.0.113.33' })
      for (const login of [pinned, open]) await dealer.call(save, { login, locked: true })
      expect(await box.signIn()).toBe(0)
      expect(await seen(pinned)).toMatchObject({ locked_to_ip: '203.0.113.31' })
      const statuses = [box, moving, unlocked].map((one) => one.at(other).signIn())
      expect(await Promise.all(statuses)).toEqual([1, 1, 0])
      await other.gateway.write()
      expect(await seen(pinned)).toMatchObject({ locked_to_ip: '203.0.113.31', box_refusal: 'other_address' })
      expect(await seen(open)).toMatchObject({ locked_to_ip: null, box_refusal: 'other_address' })
      expect(await seen(free)).toMatchObject({ online: true, last_address: null })
      for (let some = 0; some < 62; some += 1)
        expect(await new Box(other, { address: '203.0.113.31' }).signIn()).toBe(2)
      soon()
      expect(await moving.signIn()).toBe(0)
      expect(await seen(open)).toMatchObject({ locked_to_ip: '203.0.113.32' })
    } finally {
      await other.close()
    }
  })

  test('is not locked to a named proxy that does not say for whom it asks', async () => {
    const { name, box } = await boxOf()
    box.address = null
    await dealer.call(save, { login: name, locked: true })
    expect(await box.signIn()).toBe(0)
    expect(await seen(name)).toMatchObject({ locked_to_ip: null, last_address: null })
    box.address = '203.0.113.34'
    expect(await box.poll()).toBe(true)
    expect(await seen(name)).toMatchObject({ locked_to_ip: '203.0.113.34' })
    box.address = null
    expect(await box.poll()).toBe(false)
  })

  test('has in its history that it moved to another network, once an hour, and not what it stored too late', async () => {
    const { name, box } = await boxOf({ address: '2001:db8:7:1::1' })
    await box.signIn()
    const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const moves = async () =>
      (await historyOf(name)).filter(({ event }) => event === 'address').map(({ detail }) => detail)
    const pollFrom = async (address: string) => {
      box.address = address
      expect(await box.poll()).toBe(true)
      return moves()
    }
    try {
      expect(await moves()).toEqual([])
      world.clock.pass({ minutes: 1 })
      const late = box.at(other)
      late.address = '203.0.113.99'
      expect(await late.poll()).toBe(true)
      world.clock.pass({ minutes: 1 })
      expect(await pollFrom('2001:db8:7:1:ffff::9')).toEqual([])
      await other.gateway.write()
      expect(await moves()).toEqual([])
      world.clock.pass({ minutes: 1 })
      expect(await pollFrom('203.0.113.7')).toEqual(['203.0.113.7'])
      world.clock.pass({ minutes: 59 })
      expect(await pollFrom('no%address')).toHaveLength(1)
      world.clock.pass({ minutes: 1 })
      expect(await pollFrom('2001:db8:7:3::1')).toEqual(['203.0.113.7', '2001:db8:7:3::1'])
    } finally {
      await other.close()
    }
  })

  test('is told from another one by each of its ids, but not by an empty one or by zeros', async () => {
    const { name, box } = await boxOf({ told: { sn: '0000000000000', device_id: '', device_id2: 'B' } })
    await box.signIn()
    const sign = (told: Record<string, string>) =>
      new Box(world.server, { mac: box.mac, address: '203.0.113.7', told }).signIn()
    expect(await seen(name)).toMatchObject({ stb_sn: null })
    expect(await sign({ sn: 'SN-1', device_id2: '' })).toBe(0)
    expect(await seen(name)).toMatchObject({ stb_sn: 'SN-1' })
    expect(await sign({ sn: 'SN-2' })).toBe(1)
    expect(await sign({ sn: 'SN-1', device_id2: 'C' })).toBe(1)
    expect(await seen(name)).toMatchObject({ box_refusal: 'other_box', stb_sn: 'SN-1' })
    expect(await sign({ sn: '000', device_id2: 'B' })).toBe(0)
    await dealer.call(reset, { name })
    // As the page once told what firmware ends with a new line.
    expect(await sign({ sn: 'SN-2 ', device_id2: 'C' })).toBe(0)
    expect(await sign({ sn: 'SN-2', device_id2: 'C' })).toBe(0)
    expect((await historyOf(name)).map(({ event, detail }) => [event, detail])).toEqual([
      ['first seen', ''],
      ['serial number', 'SN-1'],
      ['reset', ''],
      ['first seen', 'SN-2 '],
    ])
  })

  test.each([
    ['a newer sign-in', async (_name: string, box: Box) => void (await box.at(world.server).signIn())],
    ['a reset', (name: string) => dealer.call(reset, { name })],
    ['a new password', (name: string) => dealer.call(save, { login: name, password: 'another-one' })],
    [
      'a new MAC',
      (name: string, { mac }: Box) => dealer.call(save, { login: name, stb_mac: uniqueMac(), o_mac: mac }),
    ],
    ['a switch to Ministra', (name: string) => dealer.call(save, { login: name, ministra: true })],
  ])('is out by its next poll after %s, on every server', async (_what, change) => {
    const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const { name, box } = await boxOf()
      await box.signIn()
      const there = box.at(other)
      // At once, although the other server has not read the log since the sign-in.
      expect(await there.poll()).toBe(true)
      await box.signIn()
      there.token = box.token
      expect(await there.poll()).toBe(true)
      await change(name, box)
      soon()
      expect(await there.poll()).toBe(false)
      expect(await box.poll()).toBe(false)
    } finally {
      await other.close()
    }
  })

  test('is out by its next poll also after the clock of the database was set back', async () => {
    const { name, box } = await boxOf()
    await box.signIn()
    expect(await box.poll()).toBe(true)
    world.clock.pass({ seconds: -60 })
    await dealer.call(save, { login: name, status: false })
    soon()
    expect(await box.poll()).toBe(false)
  })

  test('stays in where nothing of it was changed', async () => {
    const { name, box } = await boxOf()
    await box.signIn()
    await dealer.call(save, { login: name, desc: 'Upstairs', phone: '5145550101', password: 'secret-tv' })
    await dealer.call(renew, { name, months: 1 })
    soon()
    expect(await box.poll()).toBe(true)
  })
})

describe('a Ministra client', () => {
  test('signs in by login and password, and not by a MAC', async () => {
    const { name, box } = await ministra()
    expect(await box.signIn()).toBe(2)
    expect(await box.poll()).toBe(false)
    expect(await box.logIn(name.toUpperCase(), 'pass word ')).toBe(2)
    // The keyboard of a phone adds a space to a word.
    expect(await box.logIn(` ${name.toUpperCase()} `, 'pass word')).toBe(0)
    expect(await box.poll()).toBe(true)
    expect(await seen(name)).toMatchObject({ stb_type: 'MAG250', online: true })
    // Whoever knows the MAC knows no password.
    const thief = new Box(world.server, { mac: box.mac, address: address() })
    expect(await thief.signIn()).toBe(2)
    expect(await box.poll()).toBe(true)
  })

  test('has a sentence with the MAC for the screen of a box that is not signed in, the same for an unknown box', async () => {
    const { name, box } = await ministra()
    expect(await box.logIn(name, 'pass word')).toBe(0)
    for (const { mac } of [box, new Box(world.server)]) {
      const other = new Box(world.server, { mac, address: address() })
      await other.handshake()
      expect(await other.getProfile()).toMatchObject({
        status: 2,
        msg: `This box is not signed in (${mac}). Sign in, or tell your provider this number.`,
        block_msg: '',
      })
    }
  })

  test('keeps its token at another server: after its login, and where strangers have filled its address', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    const { token } = box
    const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const there = box.at(other)
      for (let some = 0; some < 62; some += 1) {
        await new Box(other, { address: box.address ?? '' }).signIn()
      }
      await there.handshake(token)
      expect([there.token, (await there.getProfile()).status]).toEqual([token, 1])
      world.clock.pass({ seconds: 1 })
      await there.handshake(token)
      expect([there.token, (await there.getProfile()).status]).toEqual([token, 0])
      await dealer.call(reset, { name })
      await there.handshake(token)
      expect(there.token).not.toBe(token)
    } finally {
      await other.close()
    }
  })

  test('has to log in again after a new password', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    await dealer.call(save, { login: name, password: 'another' })
    soon()
    expect(await box.poll()).toBe(false)
    expect(await box.signIn()).toBe(2)
    expect(await box.logIn(name, 'another')).toBe(0)
  })

  test.each(['the old token', 'the old password'])(
    'is not kept by its box through a new password that comes while it signs in with %s',
    async (way) => {
      const { name, box } = await ministra()
      expect(await box.logIn(name, 'pass word')).toBe(0)
      // A lock that the gateway's own writes do not wait for, which would be taken for the box.
      const release = await holdOpen(
        world.server.ownerSql,
        (sql) => sql`select from client where name = ${name} for no key update`,
      )
      const saved = dealer.call(save, { login: name, password: 'another' })
      await somebodyWaits(world.server.sql)
      if (way === 'the old password') await box.handshake()
      const coming =
        way === 'the old password'
          ? box.ask('stb/do_auth', { login: name, password: 'pass word' })
          : box.ask('stb/get_profile', box.told)
      try {
        await somebodyWaits(world.server.sql, 2)
      } finally {
        await release()
      }
      await saved
      expect((await coming).text).toBe('Authorization failed.')
      soon()
      expect(await box.poll()).toBe(false)
      expect(await box.logIn(name, 'another')).toBe(0)
    },
  )

  test('is taken over by a right login from another box, three times in a day until a reset', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    let before = box
    for (let time = 1; time <= 3; time += 1) {
      const next = new Box(world.server, { address: address(), told: { sn: `SN-${time}` } })
      expect(await next.logIn(name, 'pass word')).toBe(0)
      soon()
      expect(await before.poll()).toBe(false)
      expect(await next.poll()).toBe(true)
      before = next
    }
    const fourth = new Box(world.server, { address: address() })
    expect(await fourth.logIn(name, 'pass word')).toBe(1)
    expect(await fourth.getProfile()).toMatchObject({ block_msg: ON_SCREEN.too_many_boxes })
    expect(await seen(name)).toMatchObject({ box_refusal: 'too_many_boxes' })
    expect(await before.poll()).toBe(true)
    // It may try again, but not without the password.
    world.clock.pass({ minutes: 1 })
    expect((await fourth.getProfile()).status).toBe(2)
    world.clock.pass({ days: 2 })
    expect(await fourth.logIn(name, 'pass word')).toBe(1)
    // What would keep each of its boxes out is told first.
    await dealer.call(save, { login: name, status: false })
    expect(await fourth.logIn(name, 'pass word')).toBe(1)
    expect(await fourth.getProfile()).toMatchObject({ block_msg: ON_SCREEN.switched_off })
    await dealer.call(save, { login: name, status: true })
    await dealer.call(reset, { name })
    expect(await fourth.logIn(name, 'pass word')).toBe(0)
    const events = (await historyOf(name)).map(({ event }) => event)
    expect(events.filter((event) => event === 'taken over')).toHaveLength(3)
  })

  test('is taken over three times in a day also where its box leaves for another client each time', async () => {
    const paid = await ministra()
    const statuses = []
    for (let turn = 0; turn < 5; turn += 1) {
      const { name, box } = await ministra()
      statuses.push(await box.logIn(paid.name, 'pass word'))
      expect(await box.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(true)
      expect(await box.getProfile()).toMatchObject({ status: 0, name })
    }
    expect(statuses).toEqual([0, 0, 0, 0, 1])
    expect(await seen(paid.name)).toMatchObject({ box_refusal: 'too_many_boxes' })
    const events = (await historyOf(paid.name)).map(({ event, detail }) => [event, detail !== ''])
    expect(events.filter(([event]) => event === 'taken over')).toEqual([
      ...[
        ['taken over', false],
        ['taken over', true],
      ],
      ...[
        ['taken over', false],
        ['taken over', true],
      ],
      ...[
        ['taken over', false],
        ['taken over', true],
      ],
      ['taken over', false],
    ])
  })

  test('hears at any server why its right login was refused, for a minute and with the token of the login alone', async () => {
    const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const { name, box } = await ministra()
      await dealer.call(save, { login: name, locked: true })
      expect(await box.logIn(name, 'pass word')).toBe(0)
      const moved = new Box(world.server, { address: address() })
      await moved.handshake()
      expect(await moved.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(true)
      const there = moved.at(other)
      const refused = { status: 1, block_msg: ON_SCREEN.other_address }
      expect(await there.getProfile()).toMatchObject(refused)
      expect(await moved.at(other).signIn()).toBe(2)
      world.clock.pass({ seconds: 59 })
      expect(await there.getProfile()).toMatchObject(refused)
      world.clock.pass({ seconds: 1 })
      expect((await there.getProfile()).status).toBe(2)
    } finally {
      await other.close()
    }
  })

  test('whose right login a later version has refused says so, though this one does not know the reason', async () => {
    const { name, box } = await ministra()
    await dealer.call(save, { login: name, locked: true })
    expect(await box.logIn(name, 'pass word')).toBe(0)
    const moved = new Box(world.server, { address: address() })
    expect(await moved.logIn(name, 'pass word')).toBe(1)
    await world.server.ownerSql`update box_login set refusal = 'later' where mac = ${moved.mac}`
    const sentence = 'Your service cannot be used on this box. Please contact your provider.'
    expect(await moved.getProfile()).toMatchObject({ status: 1, block_msg: sentence })
  })

  test('that is locked says so to a box that is in with a login that has expired', async () => {
    const [one, other] = [await ministra(), await ministra()]
    await dealer.call(save, { login: other.name, locked: true })
    for (const { name, box } of [one, other]) expect(await box.logIn(name, 'pass word')).toBe(0)
    await world.setExpiry(one.name, world.clock.now.toISOString())
    soon()
    expect(await one.box.call('stb/do_auth', { login: other.name, password: 'pass word' })).toBe(true)
    const after = await one.box.call('stb/get_profile', { auth_second_step: '1' })
    expect(after).toMatchObject({ status: 1, block_msg: ON_SCREEN.other_address })
    expect(await one.box.getProfile()).toMatchObject({ status: 1, block_msg: ON_SCREEN.expired })
  })

  test('that is locked to an address cannot be taken over by a box at another address', async () => {
    const { name, box } = await ministra()
    await dealer.call(save, { login: name, locked: true })
    expect(await box.logIn(name, 'pass word')).toBe(0)
    const thief = new Box(world.server, { address: address() })
    expect(await thief.logIn(name, 'pass word')).toBe(1)
    expect(await thief.getProfile()).toMatchObject({ block_msg: ON_SCREEN.other_address })
    soon()
    expect(await box.poll()).toBe(true)
    await world.setExpiry(name, world.clock.now.toISOString())
    soon()
    expect(await thief.logIn(name, 'pass word')).toBe(1)
    await dealer.call(renew, { name, months: 1 })
    soon()
    expect(await box.poll()).toBe(true)
    expect((await historyOf(name)).map(({ event }) => event)).not.toContain('taken over')
  })

  test('that is locked to an address keeps its box though another one there says the same MAC', async () => {
    const { name, box } = await ministra()
    await dealer.call(save, { login: name, locked: true })
    expect(await box.logIn(name, 'pass word')).toBe(0)
    const copy = new Box(world.server, { mac: box.mac, address: address() })
    expect(await copy.logIn(name, 'pass word')).toBe(1)
    expect(await copy.getProfile()).toMatchObject({ block_msg: ON_SCREEN.other_address })
    soon()
    expect(await box.poll()).toBe(true)
  })

  test('may be taken over three times anew once it was switched away from Ministra and back', async () => {
    const { name, box } = await ministra()
    const next = () => new Box(world.server, { address: address() }).logIn(name, 'pass word')
    await box.logIn(name, 'pass word')
    expect([await next(), await next(), await next(), await next()]).toEqual([0, 0, 0, 1])
    await dealer.call(save, { login: name, ministra: false, stb_mac: uniqueMac(), o_mac: '' })
    await dealer.call(save, { login: name, ministra: true })
    soon()
    expect([await next(), await next()]).toEqual([0, 0])
  })

  test('whose box tells another serial number each time has one in its history each hour', async () => {
    const from = address()
    const { name, box } = await ministra({ told: { sn: 'SN-0' }, address: from })
    await box.logIn(name, 'pass word')
    const tellMany = async (first: number) => {
      for (let nr = first; nr < first + 20; nr += 1)
        expect(await box.call('stb/get_profile', { ...box.told, sn: `SN-${nr}` })).toMatchObject({
          status: 0,
        })
    }
    await tellMany(1)
    expect(await seen(name)).toMatchObject({ stb_sn: 'SN-20' })
    world.clock.pass({ hours: 1 })
    await tellMany(21)
    const next = new Box(world.server, { address: from, told: { sn: 'SN-NEW' } })
    await next.logIn(name, 'pass word')
    expect((await historyOf(name)).map(({ event, detail }) => [event, detail])).toEqual([
      ['first seen', box.mac],
      ['serial number', 'SN-0'],
      ['serial number', 'SN-21'],
      ['taken over', next.mac],
      ['serial number', 'SN-NEW'],
    ])
  })

  test('keeps its box from another dealer, who cannot have its MAC while it is served and was seen within a day', async () => {
    const { dealer: rival } = await world.family({ credits: 5 })
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    await pollAgain(box)
    const taken = { errors: { stb_mac: 'This MAC address is taken.' } }
    const { name: own } = await world.client(rival, { months: 1 })
    const { mac: before } = await rival.call(detail, { name: own })
    const move = { login: own, stb_mac: box.mac, o_mac: before }
    expect(await rival.refused('mac_taken', create, newClient({ stb_mac: box.mac }))).toMatchObject(taken)
    expect(await rival.refused('mac_taken', save, move)).toMatchObject(taken)
    world.clock.pass({ days: 1 })
    await rival.call(create, newClient({ stb_mac: box.mac, months: 1 }))
  })

  test('keeps its box from no other dealer by what that did while the clock was ahead', async () => {
    const { dealer: rival } = await world.family({ credits: 5 })
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    for (let times = 0; times < 3; times += 1) {
      world.clock.pass({ hours: 20 })
      await pollAgain(box)
    }
    await rival.refused('mac_taken', create, newClient({ stb_mac: box.mac }))
    world.clock.pass({ hours: -32 })
    await rival.call(create, newClient({ stb_mac: box.mac, months: 1 }))
  })

  test.each([
    ['is switched off', (name: string) => dealer.call(save, { login: name, status: false })],
    ['has expired', (name: string) => world.setExpiry(name, world.clock.now.toISOString())],
  ])('leaves the MAC of its box to another dealer once it %s', async (_what, end) => {
    const { dealer: rival } = await world.family({ credits: 5 })
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    await pollAgain(box)
    await rival.refused('mac_taken', create, newClient({ stb_mac: box.mac }))
    await end(name)
    await rival.call(create, newClient({ stb_mac: box.mac, months: 1 }))
  })

  test('leaves its box to a client of another dealer, by the MAC or by a login, once its own is suspended with the service', async () => {
    const { dealer: rival } = await world.family({ credits: 5 })
    const [one, other] = [await ministra(), await ministra()]
    for (const { name, box } of [one, other]) await box.logIn(name, 'pass word')
    const { name: own } = await world.client(rival, { months: 1, ministra: true, password: 'pass word' })
    const moved = new Box(world.server, { mac: other.box.mac, address: address() })
    await rival.refused('mac_taken', create, newClient({ stb_mac: one.box.mac }))
    expect(await moved.logIn(own, 'pass word')).toBe(1)
    await suspend()
    try {
      await rival.call(create, newClient({ stb_mac: one.box.mac, months: 1 }))
      expect(await moved.logIn(own, 'pass word')).toBe(0)
    } finally {
      await lift()
    }
  })

  test('leaves its box to the login of another client once a new password has put that out', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    await pollAgain(box)
    const { name: own } = await ministra()
    const moved = new Box(world.server, { mac: box.mac, address: address() })
    expect(await moved.logIn(own, 'pass word')).toBe(1)
    await dealer.call(save, { login: name, password: 'another' })
    expect(await moved.logIn(own, 'pass word')).toBe(0)
  })

  test('keeps its box from another dealer for a day after a crash of the database, which empties when boxes asked', async () => {
    const { dealer: rival } = await world.family({ credits: 5 })
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    world.clock.pass({ minutes: 5 })
    const { ownerSql } = world.server
    // Nothing of it is stored again after the crash.
    await world.server.gateway.write()
    await ownerSql`truncate presence`
    await rival.refused('mac_taken', create, newClient({ stb_mac: box.mac }))
    const another = await world.client(rival, { months: 1 })
    await ownerSql`
      insert into presence (client, answered)
      select id, ${world.clock.now}::timestamptz - interval '1 day' from client where name = ${another.name}`
    await rival.call(create, newClient({ stb_mac: box.mac, months: 1 }))
  })

  test('keeps its box as soon as that has signed in, before anything of it is stored', async () => {
    const { dealer: rival } = await world.family({ credits: 5 })
    const { name: earlier } = await world.client(rival, { months: 1 })
    const { ownerSql } = world.server
    await ownerSql`
      insert into presence (client, answered)
      select id, ${world.clock.now}::timestamptz - interval '1 day' from client where name = ${earlier}`
    const { name, box } = await ministra()
    expect(await box.logIn(name, 'pass word')).toBe(0)
    // The gateway stores what it knows every ten seconds, and so perhaps now: nothing of it is left, and nothing is
    // stored again.
    const forgetPolls = async () => {
      await world.server.gateway.write()
      await ownerSql`delete from presence where client = (select id from client where name = ${name})`
    }
    await forgetPolls()
    await rival.refused('mac_taken', create, newClient({ stb_mac: box.mac }))
    const { name: own } = await ministra()
    const thief = new Box(world.server, { mac: box.mac, address: address() })
    expect(await thief.logIn(own, 'pass word')).toBe(1)
    await forgetPolls()
    world.clock.pass({ minutes: 5 })
    await rival.call(create, newClient({ stb_mac: box.mac, months: 1 }))
  })

  test('loses its box on every server to a new client that gets its MAC', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    soon()
    expect(await box.poll()).toBe(true)
    await world.client(dealer, { stb_mac: box.mac, months: 1 })
    soon()
    const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      for (const server of [world.server, other]) expect(await box.at(server).poll()).toBe(false)
    } finally {
      await other.close()
    }
    expect((await dealer.call(deviceHistory, { name }))[0]).toMatchObject({
      ...{ event: 'taken over', detail: '', mac_before: box.mac, address: null, actor: null },
    })
  })

  test('whose own MAC becomes that of its box has not lost it', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    await dealer.call(save, { login: name, ministra: false, stb_mac: box.mac, o_mac: '' })
    expect((await historyOf(name)).map(({ event }) => event)).toEqual(['first seen', 'new MAC'])
    soon()
    expect(await box.signIn()).toBe(0)
  })

  test('loses its box to another client once that box signs in with the login of that client', async () => {
    const [one, other] = [await ministra(), await ministra()]
    await one.box.logIn(one.name, 'pass word')
    world.clock.pass({ days: 2 })
    // The token of its own box is newer.
    await other.box.logIn(other.name, 'pass word')
    expect(await one.box.poll()).toBe(true)
    await world.server.gateway.write()
    expect(await one.box.call('stb/do_auth', { login: other.name, password: 'pass word' })).toBe(true)
    expect(await one.box.getProfile()).toMatchObject({ status: 0, name: other.name })
    expect((await dealer.call(deviceHistory, { name: one.name }))[0]).toMatchObject({
      ...{ event: 'taken over', detail: '', mac_before: one.box.mac, address: null, actor: null },
    })
    // A box that leaves is no takeover, of which a client has three in a day.
    const next = () => new Box(world.server, { address: address() }).logIn(one.name, 'pass word')
    expect([await next(), await next(), await next(), await next()]).toEqual([0, 0, 0, 1])
  })

  test('has lost its box, and its token, where that signs in while another client gets its MAC', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    await pollAgain(box)
    // A new client waits for the dealer's place, and has taken the MAC already.
    const end = await holdOpen(
      world.server.ownerSql,
      (sql) => sql`select from holding where account = ${dealer.id} for update`,
    )
    const creation = dealer.call(create, newClient({ stb_mac: box.mac, months: 1 }))
    await somebodyWaits(world.server.sql)
    const signIn = box.ask('stb/get_profile')
    await somebodyWaits(world.server.sql, 2)
    await end()
    const made = await creation
    expect((await signIn).text).toBe('Authorization failed.')
    const [device] = await world.server.sql`
      select d.mac from device d join client c on c.id = d.client where c.name = ${name}`
    expect(device).toEqual({ mac: null })
    expect((await historyOf(name)).at(-1)).toMatchObject({ event: 'taken over' })
    soon()
    expect(await box.signIn()).toBe(0)
    expect(await box.getProfile()).toMatchObject({ status: 0, name: made.name })
  })

  test('is reset while its box leaves for another client, and neither of the two fails', async () => {
    const [one, other] = [await ministra(), await ministra()]
    await one.box.logIn(one.name, 'pass word')
    await pollAgain(one.box)
    const locked = Promise.withResolvers<void>()
    // What a reset does, with the box between its steps.
    const resets = world.server.ownerSql.begin(async (sql) => {
      await sql`select from client where name = ${one.name} for update`
      locked.resolve()
      await somebodyWaits(world.server.sql)
      await sql`select forget_device(id) from client where name = ${one.name}`
    })
    await locked.promise
    const leaves = one.box.call('stb/do_auth', { login: other.name, password: 'pass word' })
    expect((await Promise.all([leaves, resets]))[0]).toBe(true)
    expect(await one.box.getProfile()).toMatchObject({ status: 0, name: other.name })
  })

  test('has its box back by a login with the token that the other client has now', async () => {
    const [one, other] = [await ministra(), await ministra()]
    await one.box.logIn(one.name, 'pass word')
    for (const { name } of [other, one]) {
      soon()
      expect(await one.box.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(true)
      expect(await one.box.getProfile()).toMatchObject({ status: 0, name })
    }
  })

  test('gets its own box back however often that returns, and in a day three other boxes besides, until a reset', async () => {
    const [one, other] = [await ministra(), await ministra()]
    const { box } = one
    await box.handshake()
    const logIn = async (box: Box, name: string) => {
      expect(await box.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(true)
      expect(await box.getProfile()).toMatchObject({ status: 0, name })
    }
    for (let turn = 0; turn < 5; turn += 1) for (const { name } of [one, other]) await logIn(box, name)
    expect((await historyOf(one.name)).map(({ event, detail }) => [event, detail]).slice(-3)).toEqual([
      ['taken over', ''],
      ['first seen', box.mac],
      ['taken over', ''],
    ])
    let last = box
    const next = () => {
      last = new Box(world.server, { address: address() })
      return last.logIn(one.name, 'pass word')
    }
    expect([await next(), await next(), await next()]).toEqual([0, 0, 0])
    const third = last
    expect(await next()).toBe(1)
    for (const { name } of [other, one]) await logIn(third, name)
    world.clock.pass({ days: 2 })
    expect(await next()).toBe(1)
  })

  test('gets a box after its reset that was in at another client before: only with a new token, and only once that other client is not served', async () => {
    const [one, other] = [await ministra(), await ministra()]
    for (const { name, box } of [one, other]) expect(await box.logIn(name, 'pass word')).toBe(0)
    await pollAgain(one.box)
    await dealer.call(reset, { name: other.name })
    const login = { login: other.name, password: 'pass word' }
    const { box } = one
    const { token } = box
    expect((await box.ask('stb/do_auth', login)).text).toBe('Authorization failed.')
    await box.handshake()
    expect(await box.call('stb/do_auth', login)).toBe(true)
    expect(await box.getProfile()).toMatchObject({ status: 1, block_msg: ON_SCREEN.other_client })
    await world.setExpiry(one.name, world.clock.now.toISOString())
    box.token = token
    expect((await box.ask('stb/do_auth', login)).text).toBe('Authorization failed.')
    await box.handshake()
    expect(await box.call('stb/do_auth', login)).toBe(true)
    expect(await box.getProfile()).toMatchObject({ status: 0, name: other.name })
  })

  test('whose box is refused tells the page of Boxtree alone that another login may be tried', async () => {
    const one = await ministra()
    await one.box.logIn(one.name, 'pass word')
    const { name, box } = await boxOf()
    await box.signIn()
    for (const login of [one.name, name]) await dealer.call(save, { login, status: false })
    soon()
    const refused = { ...POLLING, status: 1, msg: ON_SCREEN.switched_off, block_msg: ON_SCREEN.switched_off }
    expect(await one.box.call('stb/get_profile', { cut: '1' })).toEqual({
      ...refused,
      by_login: 1,
      polls_on: 1,
    })
    expect(await one.box.getProfile()).toEqual(refused)
    expect(await box.call('stb/get_profile', { cut: '1' })).toEqual({ ...refused, polls_on: 1 })
  })

  test('keeps its box from the logins of other clients while it is served and was seen within a day', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    const thief = box.at(world.server)
    thief.address = address()
    const { name: own } = await ministra()
    const steal = () => thief.logIn(own, 'pass word')
    const stays = () => pollAgain(box)
    await stays()
    expect(await steal()).toBe(1)
    expect(await thief.getProfile()).toMatchObject({ block_msg: ON_SCREEN.other_client })
    expect(await seen(own)).toMatchObject({ box_refusal: 'other_client' })
    const { refused } = await world.admin.call(calls.boxes.overview)
    expect(refused).toContainEqual({ reason: 'other_client', boxes: 1 })
    await stays()
    expect((await historyOf(name)).map(({ event }) => event)).toEqual(['first seen'])
    world.clock.pass({ days: 1 })
    expect(await steal()).toBe(0)
    soon()
    expect(await box.poll()).toBe(false)
    // It is the other one's now, in turn, until that is reset.
    expect(await box.logIn(name, 'pass word')).toBe(1)
    await dealer.call(reset, { name: own })
    expect(await box.logIn(name, 'pass word')).toBe(0)
  })

  test.each([
    ['switched_off', (name: string) => dealer.call(save, { login: name, status: false })],
    ['expired', (name: string) => world.setExpiry(name, world.clock.now.toISOString())],
  ] as const)(
    'takes no box from another client while its own box would read that it is %s',
    async (reason, end) => {
      const [{ name, box }, { name: own }] = [await ministra(), await ministra()]
      await box.logIn(name, 'pass word')
      // Its client is not served either, so that anybody who is could have the box.
      await dealer.call(save, { login: name, status: false })
      await end(own)
      soon()
      const thief = box.at(world.server)
      thief.address = address()
      expect(await thief.logIn(own, 'pass word')).toBe(1)
      expect(await thief.getProfile()).toMatchObject({ block_msg: ON_SCREEN[reason] })
      await dealer.call(save, { login: name, status: true })
      soon()
      expect(await box.poll()).toBe(true)
      // On a box that is nobody's it signs in, and reads the same.
      const free = new Box(world.server, { address: address() })
      expect(await free.logIn(own, 'pass word')).toBe(1)
      expect(await free.getProfile()).toMatchObject({ block_msg: ON_SCREEN[reason] })
    },
  )
})

describe('a Ministra client on a trial', () => {
  const onTrial = async (of = dealer, input: object = {}) =>
    (await world.client(of, { months: 0, ministra: true, password: 'pass word', ...input })).name
  const freeBox = () => new Box(world.server, { address: address() })
  /** Signs a box in, a minute later, so that it is not one of too many tries. */
  const logIn = (box: Box, name: string) => {
    world.clock.pass({ minutes: 1 })
    return box.logIn(name, 'pass word')
  }

  test('is not served on a box that had a trial with another client within 30 days, until a month is paid', async () => {
    const box = freeBox()
    const rival = (await world.family({ credits: 1 })).dealer
    expect(await logIn(box, await onTrial())).toBe(0)
    world.clock.pass({ days: 1 })
    const name = await onTrial(rival)
    expect(await logIn(box, name)).toBe(1)
    expect(await box.getProfile()).toMatchObject({ status: 1, block_msg: ON_SCREEN.no_trial })
    await world.server.gateway.write()
    expect(await rival.call(detail, { name })).toMatchObject({ box_refusal: 'no_trial' })
    const { refused } = await world.admin.call(calls.boxes.overview)
    expect(refused).toContainEqual({ reason: 'no_trial', boxes: 1 })
    // Before the box asks again: the dealer sees that the month was what it lacked.
    await rival.call(renew, { name, months: 1 })
    expect(await rival.call(detail, { name })).toMatchObject({ box_refusal: null })
    const { refused: left } = await world.admin.call(calls.boxes.overview)
    expect(left.map(({ reason }) => reason)).not.toContain('no_trial')
    expect(await logIn(box, name)).toBe(0)
    await world.server.gateway.write()
    expect(await rival.call(detail, { name })).toMatchObject({ box_refusal: null })
  })

  test('is served on the box after 30 days, and on one that it had before at any time', async () => {
    const [box, other] = [freeBox(), freeBox()]
    const name = await onTrial(dealer, { months: '2d' })
    for (const each of [box, other, box]) expect(await logIn(each, name)).toBe(0)
    await dealer.call(reset, { name })
    expect(await logIn(box, name)).toBe(0)
    world.clock.pass({ days: 29 })
    expect(await logIn(box, await onTrial())).toBe(1)
    world.clock.pass({ days: 1 })
    expect(await logIn(box, await onTrial())).toBe(0)
  })

  test('that is switched off or suspended shares its trial with its box all the same, and one that has expired does not', async () => {
    const [box, other] = [freeBox(), freeBox()]
    const off = await onTrial()
    await dealer.call(save, { login: off, status: false })
    expect(await logIn(box, off)).toBe(1)
    expect(await logIn(box, await onTrial())).toBe(1)
    const expired = await onTrial()
    await world.setExpiry(expired, world.clock.now.toISOString())
    expect(await logIn(other, expired)).toBe(1)
    expect(await logIn(other, await onTrial())).toBe(0)
  })

  test('keeps the MAC of its box from another trial, typed or by taking paid months back', async () => {
    const box = freeBox()
    await logIn(box, await onTrial())
    world.clock.pass({ days: 2 })
    await dealer.refused('mac_had_trial', create, newClient({ stb_mac: box.mac }))
    const paid = await onTrial(dealer, { months: 1 })
    expect(await logIn(box, paid)).toBe(0)
    expect(await dealer.call(detail, { name: paid })).toMatchObject({ retrievable: 0 })
    await dealer.refused('mac_had_trial', calls.clients.retrieve, { login: paid, credits: 1 })
  })

  test('of which the only month was taken back has used up the trial of its box', async () => {
    const box = freeBox()
    const paid = await onTrial(dealer, { months: 1 })
    expect(await logIn(box, paid)).toBe(0)
    await dealer.call(calls.clients.retrieve, { login: paid, credits: 1 })
    world.clock.pass({ days: 3 })
    await dealer.refused('mac_had_trial', create, newClient({ stb_mac: box.mac }))
    expect(await logIn(box, await onTrial())).toBe(1)
    // A reset before the month is taken back hides the box only until it signs in.
    const again = await onTrial(dealer, { months: 1 })
    expect(await logIn(box, again)).toBe(0)
    await dealer.call(reset, { name: again })
    await dealer.call(calls.clients.retrieve, { login: again, credits: 1 })
    expect(await logIn(box, again)).toBe(1)
  })

  test('counts for a box with a MAC of any make', async () => {
    const strange = () =>
      new Box(world.server, { address: address(), mac: uniqueMac().replace('00:1A:79', '02:1A:79') })
    const signsIn = strange()
    expect(await logIn(signsIn, await onTrial())).toBe(0)
    world.clock.pass({ days: 2 })
    expect(await logIn(signsIn, await onTrial())).toBe(1)
    // Paid months that are taken back leave a trial of before, or a new one.
    for (const months of ['2d', 1]) {
      const box = strange()
      const name = await onTrial(dealer, { months })
      if (months === '2d') await dealer.call(renew, { name, months: 1 })
      expect(await logIn(box, name)).toBe(0)
      await dealer.call(calls.clients.retrieve, { login: name, credits: 1 })
      world.clock.pass({ days: 2 })
      expect(await logIn(box, await onTrial())).toBe(1)
    }
  })

  test('gets a box while its dealer gives the MAC of the one before it to another client, without a deadlock', async () => {
    const [one, other] = [freeBox(), freeBox()]
    const name = await onTrial(dealer, { months: '2d' })
    expect(await logIn(one, name)).toBe(0)
    const release = await holdOpen(
      world.server.ownerSql,
      (sql) => sql`
        select from holding where kind = 'balance' and account = (select id from account where name = ${dealer.name})
        for no key update`,
    )
    const coming = logIn(other, name)
    await somebodyWaits(world.server.sql)
    // It has locked the box before: whoever needs both waits for the box first, and has not the holding yet.
    const free = await world.server.sql`
      select from device where mac = ${one.mac} for no key update skip locked`
    const paid = newClient({ stb_mac: one.mac, months: 1 })
    const made = dealer.call(create, paid)
    try {
      await somebodyWaits(world.server.sql, 2)
    } finally {
      await release()
    }
    expect(free).toHaveLength(0)
    expect(await coming).toBe(0)
    expect(await made).toMatchObject({ name: paid.login })
  })

  test('may get its first box beyond the limit of the day, and as many other boxes as there are trials in a day', async () => {
    const few = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1', BOX_PORT: '0', TRIALS_PER_DAY: '2' } })
    try {
      const of = (await few.family()).dealer
      const make = async () =>
        (await few.client(of, { ministra: true, password: 'pass word', months: '2d' })).name
      const logIn = (name: string) => {
        few.clock.pass({ minutes: 1 })
        return new Box(few.server, { address: address() }).logIn(name, 'pass word')
      }
      const [one, two] = [await make(), await make()]
      expect([await logIn(one), await logIn(one), await logIn(two)]).toEqual([0, 0, 0])
      expect([await logIn(two), await logIn(one)]).toEqual([0, 1])
      few.clock.pass({ days: 1 })
      const [three, four] = [await make(), await make()]
      expect([await logIn(two), await logIn(three), await logIn(three)]).toEqual([0, 0, 0])
      expect([await logIn(four), await logIn(four)]).toEqual([0, 1])
    } finally {
      await few.close()
    }
  })
})

describe('a stranger', () => {
  test('is asked for a login until three wrong ones, and then refused for 15 minutes', async () => {
    const { name, box } = await ministra()
    for (let wrong = 1; wrong <= 3; wrong += 1)
      expect(await box.logIn(name, 'guessed')).toBe(wrong < 3 ? 2 : 1)
    expect(await box.getProfile()).toMatchObject({
      msg: 'There were too many tries to log in. Please try again in 15 minutes.',
    })
    expect(await box.logIn(name, 'pass word')).toBe(1)
    const wrong = async () => (await dealer.call(detail, { name })).wrong_login
    expect(await wrong()).toBe(world.clock.now.toISOString())
    world.clock.pass({ minutes: 15 })
    expect(await box.logIn(name, 'pass word')).toBe(0)
    expect(await wrong()).toBeNull()
  })

  test('whose login was wrong is told to the dealer for 24 hours', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'guessed')
    const tried = world.clock.now.toISOString()
    const wrong = async () => (await dealer.call(detail, { name })).wrong_login
    world.clock.pass({ days: 1, ms: -1 })
    expect(await wrong()).toBe(tried)
    world.clock.pass({ ms: 1 })
    expect(await wrong()).toBeNull()
  })

  test('whose login was wrong before there was this client is not told to its dealer', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'guessed')
    await world.setExpiry(name, new Date(world.clock.now.getTime() - 1).toISOString())
    await dealer.call(calls.clients.remove, { name })
    // The box goes on to ask by the login that nobody has.
    await box.logIn(name, 'pass word')
    world.clock.pass({ minutes: 1 })
    await world.client(dealer, { login: name, ministra: true, stb_mac: '' })
    const wrong = async () => (await dealer.call(detail, { name })).wrong_login
    expect(await wrong()).toBeNull()
    await box.logIn(name, 'guessed')
    expect(await wrong()).toBe(world.clock.now.toISOString())
  })

  test('closes no client by wrong logins to the console, whatever name is typed there', async () => {
    const { name, box } = await ministra()
    for (const login_username of [name, `client:${name}`]) {
      for (let wrong = 0; wrong < 10; wrong += 1) {
        const headers = { 'x-forwarded-for': address() }
        const input = { login_username, login_password: 'guessed' }
        await world.nobody().refused('wrong_login', calls.session.login, input, { headers })
      }
    }
    expect(await dealer.call(detail, { name })).toMatchObject({ wrong_login: null })
    expect(await box.logIn(name, 'pass word')).toBe(0)
  })

  test('may send a right login at most 10 times in 15 minutes', async () => {
    const { name, box } = await ministra()
    await box.handshake()
    const logIn = () => box.call('stb/do_auth', { login: name, password: 'pass word' })
    for (let right = 0; right < 10; right += 1) expect(await logIn()).toBe(true)
    expect(await logIn()).toBe(false)
    expect(await box.poll()).toBe(true)
    world.clock.pass({ minutes: 15 })
    expect(await logIn()).toBe(true)
  })

  test('keeps the token with which its right login was refused, and does not log in again meanwhile', async () => {
    const { name, box } = await ministra()
    await dealer.call(save, { login: name, locked: true })
    expect(await box.logIn(name, 'pass word')).toBe(0)
    const moved = new Box(world.server, { address: address() })
    expect(await moved.logIn(name, 'pass word')).toBe(1)
    const { token } = moved
    // As Kodi does it: five starts within seconds.
    for (let start = 0; start < 5; start += 1) {
      await moved.handshake(token)
      expect(moved.token).toBe(token)
      expect((await moved.getProfile()).block_msg).toBe(ON_SCREEN.other_address)
    }
    await dealer.call(reset, { name })
    world.clock.pass({ seconds: 19 })
    await moved.handshake(token)
    expect(moved.token).toBe(token)
    world.clock.pass({ seconds: 1 })
    await moved.handshake(token)
    expect(moved.token).not.toBe(token)
    expect(await moved.logIn(name, 'pass word')).toBe(0)
  })

  test('is told that too many were tried, and not that its login is wrong, where others have guessed at it', async () => {
    const { name } = await ministra()
    for (let wrong = 0; wrong < 10; wrong += 1) {
      const guesser = new Box(world.server, { address: address() })
      await guesser.handshake()
      await guesser.call('stb/do_auth', { login: name, password: 'guessed' })
    }
    const box = new Box(world.server, { address: address() })
    await box.handshake()
    expect(await box.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(false)
    expect((await box.getProfile()).msg).toMatch(/^There were too many tries to log in/)
    world.clock.pass({ minutes: 1 })
    expect((await box.getProfile()).status).toBe(2)
    world.clock.pass({ minutes: 14 })
    expect(await box.logIn(name, 'pass word')).toBe(0)
  })

  test('tries three logins at most, also where it tries four at once', async () => {
    const { box } = await ministra()
    await box.handshake()
    // None is noted before all four have begun.
    const release = await holdOpen(world.server.ownerSql, (sql) => sql`lock table box_login in share mode`)
    // From other addresses, because the tries of one wait for each other.
    const from = Array.from({ length: 4 }, address)
    const tries = from.map((address) => {
      const guesser = box.at(world.server)
      guesser.address = address
      return guesser.call('stb/do_auth', { login: unique(), password: 'guessed' })
    })
    await somebodyWaits(world.server.sql, 4)
    await release()
    await Promise.all(tries)
    const [row] = await world.server.sql<{ tried: number }[]>`
      select count(*) as tried from box_login where mac = ${box.mac}`
    expect(row?.tried).toBe(3)
    // The one that was not checked counts for no address.
    const wrong = await world.server
      .sql`select from login_try where address = any (${from}) and succeeded is false`
    expect(wrong).toHaveLength(3)
  })

  test('has 20 wrong logins from one address, counted together with those of the console', async () => {
    const from = address()
    const { name } = await ministra()
    for (let wrong = 0; wrong < 20; wrong += 1) {
      const box = new Box(world.server, { address: from })
      await box.handshake()
      expect(await box.call('stb/do_auth', { login: unique(), password: 'guessed' })).toBe(false)
    }
    const late = new Box(world.server, { address: from })
    expect(await late.signIn()).toBe(1)
    expect((await late.getProfile()).msg).toMatch(/^There were too many tries to log in/)
    expect(await late.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(false)
    const login = { login_username: 'admin', login_password: 'admin-password' }
    const headers = { 'x-forwarded-for': from }
    await world.nobody().refused('too_many_tries', calls.session.login, login, { headers })
    const elsewhere = new Box(world.server, { address: address() })
    await elsewhere.handshake()
    expect(await elsewhere.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(true)
  })

  test('with 60 unknown MACs keeps no customer at the same address out', async () => {
    const from = address()
    const { box: known } = await boxOf({ address: from })
    await known.signIn()
    for (let some = 0; some < 60; some += 1) {
      expect(await new Box(world.server, { address: from }).signIn()).toBe(2)
    }
    const statuses = []
    for (let more = 0; more < 4; more += 1) {
      statuses.push(await new Box(world.server, { address: from }).signIn())
    }
    expect(statuses).toEqual([2, 2, 1, 1])
    expect(await known.poll()).toBe(true)
    expect(await known.signIn()).toBe(0)
    // A few a second are still looked up, and one of those that were counted always.
    world.clock.pass({ seconds: 1 })
    const { box: customer } = await boxOf({ address: from })
    expect(await customer.signIn()).toBe(0)
    world.clock.pass({ minutes: 15 })
    // More than are looked up in a second.
    for (let anew = 0; anew < 4; anew += 1) {
      expect(await new Box(world.server, { address: from }).signIn()).toBe(2)
    }
  })

  test('is limited to these 60 whatever it asks with its MACs, also where it asks at once', async () => {
    const from = address()
    const { mac } = await world.client(dealer, { months: 1 })
    const macs = Array.from({ length: 59 }, () => uniqueMac())
    const asks = (mac: string) => new Box(world.server, { mac, address: from })
    const login = { login: unique(), password: 'guessed' }
    await Promise.all(
      macs.map(async (mac, nr) => {
        const box = asks(mac)
        await box.handshake()
        await box.call(nr % 2 === 0 ? 'stb/do_auth' : 'stb/get_profile', nr % 2 === 0 ? login : {})
      }),
    )
    const burst = await Promise.all(Array.from({ length: 6 }, () => asks(uniqueMac()).signIn()))
    expect(burst.toSorted()).toEqual([1, 1, 1, 2, 2, 2])
    // A client's MAC that was guessed in this second is not taken into memory, whence it would be let in.
    const guesser = asks(mac)
    await guesser.handshake()
    expect(await guesser.call('stb/do_auth', login)).toBe(false)
    expect((await guesser.getProfile()).status).toBe(1)
    world.clock.pass({ seconds: 1 })
    expect((await guesser.getProfile()).status).toBe(0)
  })

  test('at the address of many customers keeps none of them out, who all come at once', async () => {
    const from = address()
    const clients: { mac: string }[] = []
    while (clients.length < 65) clients.push(await world.client(dealer, { months: 1 }))
    const statuses = await Promise.all(
      clients.map(({ mac }) => new Box(world.server, { mac, address: from }).signIn()),
    )
    expect(statuses).toEqual(clients.map(() => 0))
  })

  test('learns nothing with a token of another MAC, a made-up one or none', async () => {
    const { box } = await boxOf()
    await box.signIn()
    const { box: other } = await boxOf()
    await other.signIn()
    // The server has found both tokens to be its own, and does not compute their signatures again.
    for (const one of [box, other]) expect(await one.poll()).toBe(true)
    for (const token of [
      other.token,
      '',
      'A'.repeat(48),
      `${box.token.slice(0, 16)}${other.token.slice(16)}`,
      `${box.token}AA`,
      box.token.slice(0, -1),
      `${box.token.slice(0, -1)}0`,
      "' or 1=1",
    ]) {
      if (token === box.token) continue
      const forger = box.at(world.server)
      forger.token = token
      for (const name of [
        'watchdog/get_events',
        'account_info/get_main_info',
        'stb/get_profile',
        'stb/do_auth',
      ]) {
        expect((await forger.ask(name)).text, `${name} with ${token}`).toBe('Authorization failed.')
      }
    }
    expect(await box.poll()).toBe(true)
  })

  test.each([
    ['a reset', (name: string) => dealer.call(reset, { name })],
    ['a new password', (name: string) => dealer.call(save, { login: name, password: 'an other one' })],
    [
      'a newer box',
      async (_name: string, mac: string) => {
        expect(await new Box(world.server, { mac, address: '203.0.113.7' }).signIn()).toBe(0)
      },
    ],
  ])('is not signed in by a token that %s has ended, and is by a new one', async (_what, end) => {
    const { name, box } = await boxOf()
    expect(await box.signIn()).toBe(0)
    const spare = box.at(world.server)
    await spare.handshake()
    soon()
    await end(name, box.mac)
    soon()
    for (const old of [box, spare, box]) {
      expect((await old.ask('stb/get_profile', old.told)).text).toBe('Authorization failed.')
      expect(await old.poll()).toBe(false)
    }
    await box.handshake()
    expect((await box.getProfile()).status).toBe(0)
  })

  test('logs in by no token that a reset has ended', async () => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    soon()
    await dealer.call(reset, { name })
    soon()
    const login = { login: name, password: 'pass word' }
    expect((await box.ask('stb/do_auth', login)).text).toBe('Authorization failed.')
    await box.handshake()
    expect(await box.call('stb/do_auth', login)).toBe(true)
  })

  test.each([
    [
      'another client that got its MAC, and was deleted since,',
      async ({ mac }: Box) => {
        const { name } = await world.client(dealer, { stb_mac: mac, months: 1 })
        await world.admin.call(calls.admin.remove, { name })
      },
    ],
    [
      'a newer login of its box to another client',
      async (box: Box) => {
        const { name } = await ministra()
        expect(await box.call('stb/do_auth', { login: name, password: 'pass word' })).toBe(true)
        expect(await box.getProfile()).toMatchObject({ status: 0, name })
        await dealer.call(save, { login: name, password: 'another' })
        expect(await box.at(world.server).logIn(name, 'another')).toBe(0)
      },
    ],
  ])('logs in by no token that %s has ended', async (_what, end) => {
    const { name, box } = await ministra()
    await box.logIn(name, 'pass word')
    soon()
    await end(box)
    soon()
    const login = { login: name, password: 'pass word' }
    expect((await box.ask('stb/do_auth', login)).text).toBe('Authorization failed.')
    await box.handshake()
    expect(await box.call('stb/do_auth', login)).toBe(true)
  })

  test('is not signed in by a token that lay unused for a day', async () => {
    const { box } = await boxOf()
    await box.handshake()
    world.clock.pass({ days: 1, seconds: 1 })
    expect((await box.ask('stb/get_profile', box.told)).text).toBe('Authorization failed.')
  })

  test('gets the same answer for an unknown MAC and for one without its token', async () => {
    const { box } = await boxOf()
    await box.signIn()
    const answers = []
    for (const mac of [box.mac, uniqueMac()]) {
      const thief = new Box(world.server, { mac, address: address() })
      await thief.handshake()
      for (const name of ['watchdog/get_events', 'account_info/get_main_info'])
        answers.push(await thief.ask(name))
    }
    const plain = answers.map(({ status, text }) => `${status} ${text}`)
    expect(new Set(plain)).toEqual(new Set(['200 Authorization failed.']))
  })

  test('reaches no call that is not declared', async () => {
    const { box } = await boxOf()
    await box.signIn()
    for (const name of ['stb/reboot', '__proto__/x', 'stb/toString', '/', 'stb/']) {
      expect(await box.ask(name)).toMatchObject({ status: 404, text: 'There is no such call.' })
    }
    const bare = { headers: { cookie: 'mac=none' } }
    expect(await box.ask('stb/handshake', {}, bare)).toMatchObject({
      status: 200,
      text: 'Unauthorized request.',
    })
  })
})

test('an answer to a box is never cached, is taken for no other type, and has no policy for pages', async () => {
  const { box } = await boxOf()
  const { headers } = await box.ask('stb/handshake')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBeNull()
})

test('what a box says of itself is stored as text, however hostile', async () => {
  const hostile = `'; drop table client; --\0\u0007\ud800${'x'.repeat(400)}`
  const { name, box } = await boxOf({
    told: { sn: hostile, stb_type: hostile, ver: hostile, device_id: hostile },
  })
  expect(await box.signIn()).toBe(0)
  const { stb_sn, stb_type } = await seen(name)
  expect(stb_sn).toMatch(/^'; drop table client; -- {2}\ufffdx+$/)
  expect(stb_type).toHaveLength(255)
  expect(await box.signIn()).toBe(0)
})

test('neither a password nor a query of a box is in the log', async () => {
  const { name, box } = await ministra()
  await box.logIn(name, 'pass word')
  await box.call('stb/do_auth', { login: name, password: 'secret-guess' })
  await box.ask('stb/none', { password: 'secret-guess' })
  await box.ask(
    'stb/do_auth',
    { login: name, password: 'secret-guess' },
    { method: 'POST', headers: { 'content-type': 'text/plain' } },
  )
  const log = world.server.logged.join('\n')
  for (const secret of [
    'secret-guess',
    'pass word',
    'pass+word',
    'pass%20word',
    box.mac,
    box.token,
    'do_auth',
  ]) {
    expect(log).not.toContain(secret)
  }
})

test('a connection of a box is closed between its polls, and one of the console is not between two clicks', async () => {
  const [boxes, console, both] = [world.server.boxUrl, world.server.url, await world.another()]
  const idles = async (url: string) => (await fetch(`${url}/v1/live`)).headers.get('keep-alive')
  try {
    expect([await idles(boxes), await idles(console)]).toEqual(['timeout=5', 'timeout=72'])
    expect(await idles(both.boxUrl)).toBe('timeout=72')
  } finally {
    await both.close()
  }
})

test('the page of the console answers nothing below the paths of boxes and of stream servers, also beside them', async () => {
  const both = await world.another()
  try {
    expect((await fetch(`${both.url}/c/`)).status).toBe(200)
    await refusesBoxes(both, { paths: [], checks: [] })
  } finally {
    await both.close()
  }
})

/** What boxes ask, and is not found where the console is served alone. */
const ALONE = ['/portal.php', '/stalker_portal/server/load.php', '/c', '/c/', '/stalker_portal/c/page.js']

/** To nginx every 2xx is a yes, also the console's page. */
async function refusesBoxes(
  { url, logged }: World['server'],
  { paths = ALONE, checks = ['/stream/check'] } = {},
): Promise<void> {
  for (const path of [
    ...paths,
    '/portal.php/',
    '/server/load.php/x',
    '/c/index.html',
    '/stalker_portal/c/x',
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${url}${path}`, { method })
      expect([answer.status, await answer.text()], path).toEqual([404, expect.stringContaining('not_found')])
    }
  }
  for (const path of [...checks, '/stream/check/', '/stream/', '/stream/check/x']) {
    const answer = await fetch(`${url}${path}`, { headers: { 'x-original-uri': '/token/one/index.m3u8' } })
    expect([answer.status, await answer.text()], path).toEqual([403, 'No'])
  }
  expect((await fetch(`${url}/stream/check`, { method: 'HEAD' })).status).toBe(403)
  const told = logged.filter((line) => line.includes('asks for stream checks where none are answered'))
  expect(told.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 40,
      peer: '127.0.0.1',
      msg: expect.stringContaining('let it ask /stream/check at BOX_PORT'),
    }),
  ])
}

test('the boxes have their port alone, and the console its own', async () => {
  const { url, boxUrl } = world.server
  expect(boxUrl).not.toBe(url)
  await refusesBoxes(world.server)
  expect(await fetch(`${boxUrl}/v1/ready`)).toMatchObject({ status: 200 })
  for (const path of ['/v1/api/user', '/login', '/v1/docs', '/v1/health']) {
    expect(await fetch(`${boxUrl}${path}`), path).toMatchObject({ status: 404 })
  }
})

test('no method of HTTP causes a fault, at the port of the boxes or of the console', async () => {
  const faults: string[] = []
  const { logged } = world.server
  const before = logged.length
  for (const method of METHODS.filter((method) => method !== 'CONNECT')) {
    for (const origin of [world.server.url, world.server.boxUrl]) {
      for (const path of ['/', '/login', '/nothing', '/portal.php', '/v1/api/clients', '/v1/nothing']) {
        const asked = request(`${origin}${path}`, { method }).end()
        const [answer] = (await once(asked, 'response')) as [IncomingMessage]
        answer.resume()
        if (Number(answer.statusCode) >= 500) faults.push(`${answer.statusCode} ${method} ${origin}${path}`)
      }
    }
  }
  expect(faults).toEqual([])
  expect(logged.slice(before).filter((line) => line.includes('a call failed'))).toEqual([])
})

test('a process that serves only the console or only the boxes answers nothing else', async () => {
  const [console, boxes] = await Promise.all([
    world.another({ env: { SERVE: 'console' } }),
    world.another({ env: { SERVE: 'boxes' } }),
  ])
  try {
    await refusesBoxes(console)
    expect((await new Box(boxes).ask('stb/handshake', {}, { path: '/' })).text).toContain('token')
    expect((await fetch(`${console.url}/v1/api/user`)).status).toBe(401)
    expect((await fetch(`${boxes.url}/v1/api/user`)).status).toBe(404)
    expect((await fetch(`${boxes.url}/v1/health`)).status).toBe(404)
    const unread = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }
    expect((await fetch(`${boxes.url}/nothing`, unread)).status).toBe(404)
    expect((await fetch(`${boxes.url}/v1/live`)).status).toBe(200)
  } finally {
    await Promise.all([console.close(), boxes.close()])
  }
})
