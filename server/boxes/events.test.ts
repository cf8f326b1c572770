import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../../test/support/box.ts'
import { openWorld, type Person, type World } from '../../test/support/world.ts'

const { tell, told, save, renew } = calls.clients

let world: World
let reseller: Person
let dealer: Person
beforeAll(async () => {
  world = await openWorld()
  ;({ reseller, dealer } = await world.family({ credits: 100 }))
})
afterAll(() => world.close())

async function boxOf(more: ConstructorParameters<typeof Box>[1] = {}) {
  const { name, mac } = await world.client(dealer, { months: 1 })
  const box = new Box(world.server, { mac, ...more })
  expect(await box.signIn()).toBe(0)
  return { name, box }
}

const send = (name: string, message: string) =>
  dealer.call(tell, { clients: [name], event: 'message', message })

/** Lets the time pass after which every server has heard of every change. */
function soon(): void {
  world.clock.pass({ seconds: 5 })
}

async function states(name: string): Promise<string[]> {
  return (await dealer.call(told, { name })).map(({ event, state }) => `${event}: ${state}`)
}

describe('what is sent to a box', () => {
  test('is told at its next polls, in order and once, and its sender sees what became of it', async () => {
    const { name, box } = await boxOf()
    const { name: other, box: neighbour } = await boxOf()
    await send(name, ' Hello <b>there</b> ')
    await dealer.call(tell, { clients: [name, other], event: 'reboot' })
    await dealer.call(tell, { clients: [name], event: 'reload' })
    expect(await states(name)).toEqual(['reload: waiting', 'reboot: waiting', 'message: waiting'])
    soon()
    const events = [await box.events(), await box.events(), await box.events(), await box.events()]
    expect(events).toEqual(['Hello <b>there</b>', 'reboot', 'reload_portal', ''])
    expect([await neighbour.events(), await neighbour.events()]).toEqual(['reboot', ''])
    expect(await states(name)).toEqual(['reload: sent', 'reboot: sent', 'message: sent'])
    expect(await dealer.call(told, { name })).toMatchObject([
      {},
      {},
      { message: 'Hello <b>there</b>', told: world.clock.now.toISOString(), actor: dealer.name },
    ])
  })

  test('is at most 100 things of a dealer in 24 hours for each box, however they end', async () => {
    const [{ name, box }, other] = [await boxOf(), await boxOf()]
    // What the gateway tells by itself counts for nobody.
    for (const alt_player of [true, false]) await dealer.call(save, { login: name, alt_player })
    soon()
    for (const event of ['update_channels', 'update_channels']) expect(await box.events()).toBe(event)
    for (let sent = 0; sent < 99; sent += 1) await send(name, `Message ${sent}`)
    soon()
    expect(await box.events()).toBe('Message 0')
    await dealer.call(tell, { clients: [name, other.name], event: 'reboot' })
    const input = { clients: [other.name, name], event: 'reload' as const }
    const { message } = await dealer.refused('invalid_input', tell, input)
    expect(message).toBe(
      `The box of ${name} was sent 100 things in 24 hours, which is the most. Try again in 24 hours.`,
    )
    await dealer.call(tell, { ...input, clients: [other.name] })
    expect(await states(other.name)).toEqual(['reload: waiting', 'reboot: waiting'])
    world.clock.pass({ hours: 24 })
    await send(name, 'The next day')
  })

  test('is told also to a box that made another call since it was sent', async () => {
    const { name, box } = await boxOf()
    await send(name, 'Hello')
    soon()
    await box.call('itv/get_genres')
    expect([await box.events(), await box.events()]).toEqual(['Hello', ''])
  })

  test('counts as shown once its own box has confirmed it', async () => {
    const { name, box } = await boxOf()
    const { box: thief } = await boxOf()
    await send(name, 'Please pay')
    await send(name, 'Thank you')
    soon()
    await box.events()
    const id = box.lastEvent
    await thief.confirm(id)
    for (const wrong of ['', '0', '1e3', `${Number(id) + 1}`, '9'.repeat(30), "' or ''='"])
      await box.confirm(wrong)
    expect(await states(name)).toEqual(['message: waiting', 'message: sent'])
    await box.confirm(id)
    expect(await states(name)).toEqual(['message: waiting', 'message: shown'])
    const { status, text } = await new Box(world.server, { mac: box.mac }).ask('watchdog/confirm_event')
    expect([status, text]).toEqual([200, 'Authorization failed.'])
  })

  test('is not told any more, and keeps the new dealer from nothing, once its client was moved to another', async () => {
    const { name, box } = await boxOf()
    const heir = await world.child(reseller)
    await send(name, 'First')
    soon()
    expect(await box.events()).toBe('First')
    for (let sent = 1; sent < 100; sent += 1) await send(name, 'My provider cheats')
    await reseller.call(calls.tree.moveClients, { from: dealer.name, to: heir.name, clients: [name] })
    soon()
    expect(await box.events()).toBe('')
    // Nor is what it said for the new one to read.
    expect(await heir.call(calls.clients.told, { name })).toContainEqual(
      expect.objectContaining({ event: 'message', message: '', actor: '—' }),
    )
    await heir.call(tell, { clients: [name], event: 'message', message: 'Welcome' })
    soon()
    expect(await box.events()).toBe('Welcome')
  })

  test('waits 7 days where it is a message', async () => {
    const { name, box } = await boxOf()
    await send(name, 'Hello')
    await send(name, 'Late')
    world.clock.pass({ days: 7, ms: -1 })
    expect(await box.events()).toBe('Hello')
    world.clock.pass({ ms: 1 })
    expect(await box.events()).toBe('')
    expect(await states(name)).toEqual(['message: too late', 'message: sent'])
  })

  test.each(['reboot', 'reload'] as const)('waits 240 seconds where it is a %s', async (event) => {
    const { name, box } = await boxOf()
    await dealer.call(tell, { clients: [name], event })
    world.clock.pass({ seconds: 240, ms: -1 })
    expect(await states(name)).toEqual([`${event}: waiting`])
    world.clock.pass({ ms: 1 })
    expect(await box.events()).toBe('')
    expect(await states(name)).toEqual([`${event}: too late`])
  })

  test('is told by one of two servers that are polled at the same moment', async () => {
    const second = await world.another()
    try {
      const { name, box } = await boxOf()
      const there = box.at(second)
      expect(await there.poll()).toBe(true)
      for (let nr = 0; nr < 6; nr += 1) await send(name, `Message ${nr}`)
      soon()
      const heard = await Promise.all(Array.from({ length: 10 }, (_, nr) => (nr % 2 ? there : box).events()))
      const messages = heard.filter((one) => one !== '').sort()
      expect(messages).toEqual([0, 1, 2, 3, 4, 5].map((nr) => `Message ${nr}`))
    } finally {
      await second.close()
    }
  })

  test('has a text if it is a message, and goes to no expired client', async () => {
    const { name } = await boxOf()
    const { name: expired } = await boxOf()
    const input = { clients: [name], event: 'message' as const }
    for (const message of ['', '  ', 'x'.repeat(301), 'two\nlines']) {
      await dealer.refused('invalid_input', tell, { ...input, message })
    }
    await dealer.refused('invalid_input', tell, { ...input, event: 'reboot', message: 'Hello' })
    await world.setExpiry(expired, new Date(world.clock.now.getTime() - 1).toISOString())
    await dealer.refused('client_expired', tell, { ...input, clients: [name, expired], message: 'Hello' })
    expect(await states(name)).toEqual([])
  })

  test('goes with the client', async () => {
    const { name } = await boxOf()
    await send(name, 'Hello')
    await world.admin.call(calls.admin.remove, { name })
    expect(
      await world.server.sql`select from box_event e join client c on c.id = e.client where c.name = ${name}`,
    ).toEqual([])
  })
})

describe('a box', () => {
  test('is told of other channels after another package and another player', async () => {
    const { name, box } = await boxOf()
    const { name: unplugged } = await world.client(dealer)
    await dealer.call(save, { login: name, package_selection: 7 })
    await dealer.call(save, { login: unplugged, package_selection: 7 })
    await dealer.call(save, { login: name, desc: 'Nothing else' })
    soon()
    expect([await box.events(), await box.events()]).toEqual(['update_channels', ''])
    await dealer.call(save, { login: name, alt_player: true })
    soon()
    expect(await box.events()).toBe('update_channels')
    await dealer.call(save, { login: name, alt_player: false })
    world.clock.pass({ seconds: 240 })
    expect(await box.events()).toBe('')
    // Nobody sent it, and it is nobody's concern.
    expect(await states(name)).toEqual([])
    expect(
      await world.server.sql`
      select from box_event e join client c on c.id = e.client where c.name = ${unplugged}`,
    ).toEqual([])
  })

  test('that obeys is cut off at expiry, polls on, and is let in again by a renewal, each told once', async () => {
    const { name, box } = await boxOf({ obeys: true })
    const kodi = new Box(world.server, { mac: box.mac })
    kodi.token = box.token
    await send(name, 'Please renew')
    await world.setExpiry(name, new Date(world.clock.now.getTime() - 1).toISOString())
    soon()
    expect([await box.events(), await box.events(), await box.events()]).toEqual([
      'cut_off',
      'Please renew',
      '',
    ])
    await box.confirm()
    expect(await states(name)).toEqual(['message: shown'])
    expect(await box.ask('account_info/get_main_info', { cut: '1' })).toMatchObject({
      text: 'Authorization failed.',
    })
    expect(await kodi.events()).toBeNull()
    await dealer.call(renew, { name, months: 1 })
    soon()
    expect([await box.events(), await box.events()]).toEqual(['cut_on', ''])
    await dealer.call(save, { login: name, status: false })
    soon()
    expect([await box.events(), await box.events()]).toEqual(['cut_off', ''])
  })

  test('that obeys is told again where the answer that cut it off, or let it in, was lost', async () => {
    const { name, box } = await boxOf({ obeys: true })
    const poll = async (is_cut: '0' | '1') =>
      (await box.call('watchdog/get_events', { init: '0', cut: '1', is_cut })).data
    await dealer.call(save, { login: name, status: false })
    soon()
    for (const told of [await poll('0'), await poll('0')]) expect(told).toMatchObject({ event: 'cut_off' })
    expect(await poll('1')).toMatchObject({ msgs: 0 })
    await dealer.call(save, { login: name, status: true })
    soon()
    for (const told of [await poll('1'), await poll('1')]) expect(told).toMatchObject({ event: 'cut_on' })
    expect(await poll('0')).toMatchObject({ msgs: 0 })
  })

  test('that was cut off and then signs in anew is told nothing more', async () => {
    const { name, box } = await boxOf({ obeys: true })
    await dealer.call(save, { login: name, status: false })
    soon()
    expect(await box.events()).toBe('cut_off')
    await dealer.call(save, { login: name, status: true })
    soon()
    expect(await box.signIn()).toBe(0)
    expect(await box.events()).toBe('')
  })
})

test('a box of a locked client is locked to the first address that its polls tell', async () => {
  // Behind a proxy that nobody trusts, all boxes have one address.
  const { name, box } = await boxOf({ address: '203.0.113.7' })
  const lockedTo = async () => {
    const [device] = await world.server.sql`
      select locked_to_ip from device d join client c on c.id = d.client where c.name = ${name}`
    return device?.locked_to_ip
  }
  await dealer.call(save, { login: name, locked: true })
  soon()
  expect(await box.poll()).toBe(true)
  expect(await lockedTo()).toBeNull()
  box.address = null
  expect(await box.poll()).toBe(true)
  expect(await lockedTo()).toBe('127.0.0.1')
})
