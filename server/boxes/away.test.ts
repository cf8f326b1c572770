import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../../test/support/box.ts'
import { holdOpen } from '../../test/support/hold.ts'
import { A_PLAYLIST, givePlaylist } from '../../test/support/playlist.ts'
import { openPostgresProxy } from '../../test/support/postgres-proxy.ts'
import { startServer } from '../../test/support/server.ts'
import { openWorld, type Person, type World } from '../../test/support/world.ts'

let world: World
let dealer: Person
beforeAll(async () => {
  world = await openWorld()
  dealer = (await world.family({ credits: 100 })).dealer
  await givePlaylist(world, A_PLAYLIST)
})
afterAll(() => world.close())

async function boxOf(more: ConstructorParameters<typeof Box>[1] = {}) {
  const { name, mac } = await world.client(dealer, { months: 1 })
  return { name, box: new Box(world.server, { mac, told: { sn: 'SN-1' }, ...more }) }
}

test('the address of a proxy that nobody trusts is neither pinned nor counted, and the log says so', async () => {
  const { name, mac } = await world.client(dealer, { months: 1 })
  await dealer.call(calls.clients.save, { login: name, locked: true })
  // It forwards, but is not in TRUSTED_PROXIES.
  const box = new Box(world.server, { mac, address: '203.0.113.7' })
  expect(await box.signIn()).toBe(0)
  for (let some = 0; some < 62; some += 1) {
    expect(await new Box(world.server, { address: '203.0.113.7' }).signIn()).toBe(2)
  }
  await world.server.gateway.write()
  expect(await dealer.call(calls.clients.detail, { name })).toMatchObject({
    locked_to_ip: null,
    online: true,
  })
  const [seen] = await world.server.sql`
    select p.address from presence p join client c on c.id = p.client where c.name = ${name}`
  expect(seen).toEqual({ address: null })
  expect(world.server.logged.join()).toContain('TRUSTED_PROXIES does not have')
})

/** Starts another server, whose way to the database can be cut. */
async function gatewayBehindProxy() {
  const { database } = world.server
  const proxy = await openPostgresProxy(database.server)
  const gateway = await startServer({
    database: { ...database, server: proxy.url },
    clock: () => world.clock.now,
  })
  const close = async () => {
    proxy.mend()
    await gateway.close()
    await proxy.close()
  }
  return { proxy, gateway, close }
}

/** Returns what a stream server sends of a box's link to the first channel. */
async function linkOf(box: Box): Promise<Record<string, string>> {
  const [channel] = (await box.call('itv/get_all_channels')).data
  const { cmd } = await box.call('itv/create_link', { cmd: channel?.cmd ?? '' })
  return { 'x-original-uri': cmd.replace('ffmpeg http://streams.example', ''), 'x-viewer-address': '::1' }
}

/** Takes the database away from the server until the returned function is called. */
async function takeAway(): Promise<() => Promise<void>> {
  const { ownerSql, sql } = world.server
  const [row] = await ownerSql<{ name: string }[]>`select current_database() as name`
  const name = ownerSql(row?.name ?? '')
  await ownerSql`alter database ${name} connection limit 0`
  // Each connection of the server ends the others, and the last one itself.
  const end = () => sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = current_user order by pid = pg_backend_pid()`
  await end().catch(() => {})
  await expect(sql`select 1`).rejects.toThrow()
  return async () => void (await ownerSql`alter database ${name} connection limit -1`)
}

test('while the database is away, who was in stays in for 30 minutes and never past a known expiry', async () => {
  const { name, box } = await boxOf()
  const { name: ending, box: short } = await boxOf()
  const { box: late } = await boxOf()
  const { name: other } = await world.client(dealer, { months: 1, ministra: true, password: 'pass word' })
  const login = new Box(world.server)
  expect(await login.logIn(other, 'pass word')).toBe(0)
  await world.setExpiry(ending, new Date(world.clock.now.getTime() + 20 * 60_000).toISOString())
  expect([await box.signIn(), await short.signIn()]).toEqual([0, 0])
  world.clock.pass({ seconds: 5 })
  expect([await box.poll(), await short.poll()]).toEqual([true, true])

  const [channel] = (await box.call('itv/get_all_channels')).data
  const bringBack = await takeAway()
  try {
    world.clock.pass({ minutes: 20 })
    expect([await box.poll(), await short.poll()]).toEqual([true, false])
    expect((await box.call('itv/get_ordered_list', { p: '1' })).data).toHaveLength(3)
    const { cmd } = await box.call('itv/create_link', { cmd: channel?.cmd ?? '' })
    expect(cmd).toContain(`who=${name}`)
    const headers = {
      'x-original-uri': cmd.replace('ffmpeg http://streams.example', ''),
      'x-viewer-address': '::1',
    }
    expect((await fetch(`${world.server.boxUrl}/stream/check`, { headers })).status).toBe(200)
    expect(await short.ask('itv/create_link')).toMatchObject({ text: 'Authorization failed.' })
    expect(await box.ask('itv/set_fav', { fav_ch: '1' })).toMatchObject({ status: 503 })
    // Switched off and on with a new version, and with the token that it kept.
    box.told.ver = 'ImageDescription: 0.2.18-r24'
    await box.handshake(box.token)
    expect(await box.getProfile()).toMatchObject({ status: 0 })
    await late.handshake()
    expect(await late.getProfile()).toMatchObject({
      status: 1,
      block_msg: expect.stringContaining('try again'),
    })
    expect(await late.ask('watchdog/get_events')).toMatchObject({ status: 503 })
    expect(await login.poll()).toBe(true)
    await login.handshake()
    expect(await login.getProfile()).toMatchObject({ status: 1 })
    expect(await login.ask('stb/do_auth', { login: other, password: 'pass word' })).toMatchObject({
      status: 503,
    })
    expect(world.server.logged.filter((line) => line.includes('"level":50'))).toEqual([])
    world.clock.pass({ minutes: 9 })
    expect(await box.poll()).toBe(true)
    world.clock.pass({ minutes: 2 })
    expect(await box.ask('watchdog/get_events')).toMatchObject({
      status: 503,
      text: 'Please try again soon.',
    })
  } finally {
    await bringBack()
  }
  // A gateway asks again only after a pause.
  await expect.poll(async () => (await box.ask('watchdog/get_events')).status, { timeout: 30_000 }).toBe(200)
  expect(await box.poll()).toBe(true)
  expect(await late.signIn()).toBe(0)
  await world.server.gateway.write()
  expect(await dealer.call(calls.clients.detail, { name })).toMatchObject({
    online: true,
    version: 'ImageDescription: 0.2.18-r24',
  })
})

test('while the database is away, the port of the boxes is ready for 30 minutes, and not while it is stopped', async () => {
  const leaving = new AbortController()
  const server = await world.another({ env: { BOX_PORT: '0' }, leaving: leaving.signal })
  const ready = async (url: string) => (await fetch(`${url}/v1/ready`)).status
  try {
    expect([await ready(server.boxUrl), await ready(server.url)]).toEqual([200, 200])
    const bringBack = await takeAway()
    try {
      world.clock.pass({ minutes: 29 })
      expect([await ready(server.boxUrl), await ready(server.url)]).toEqual([200, 503])
      world.clock.pass({ minutes: 2 })
      expect(await ready(server.boxUrl)).toBe(503)
    } finally {
      await bringBack()
    }
    await expect.poll(() => ready(server.boxUrl), { timeout: 30_000 }).toBe(200)
    leaving.abort()
    expect(await ready(server.boxUrl)).toBe(503)
  } finally {
    await server.close()
  }
})

test('a database that swallows what it is sent holds up neither polls nor stream checks', async () => {
  const { proxy, gateway, close } = await gatewayBehindProxy()
  try {
    const { name, box: here } = await boxOf()
    const box = here.at(gateway)
    expect(await box.signIn()).toBe(0)
    const headers = await linkOf(box)
    proxy.cutAt(0, 'in silence')
    world.clock.pass({ minutes: 1 })
    expect(await box.poll()).toBe(true)
    await expect.poll(() => gateway.logged.join(), { timeout: 30_000 }).toContain('answers from memory')
    // For longer than the pause after which it tries to read again.
    const waits: { poll: number[]; stream: number[] } = { poll: [], stream: [] }
    for (let time = 0; time < 8; time += 1) {
      world.clock.pass({ seconds: 6 })
      const began = performance.now()
      expect(await box.poll()).toBe(true)
      const polled = performance.now()
      expect((await fetch(`${gateway.boxUrl}/stream/check`, { headers })).status, 'stream').toBe(200)
      waits.poll.push(polled - began)
      waits.stream.push(performance.now() - polled)
      await pause(500)
    }
    // Those who find a read of the channels that has just begun may wait for that.
    for (const [what, times] of Object.entries(waits))
      expect(times.filter((wait) => wait > 1_500).length, what).toBeLessThan(4)
    proxy.mend()
    await dealer.call(calls.clients.save, { login: name, status: false })
    const isIn = () => {
      world.clock.pass({ seconds: 6 })
      return box.poll()
    }
    await expect.poll(isIn, { timeout: 30_000 }).toBe(false)
  } finally {
    await close()
  }
})

test('a server that has lost the database, while another has it, throws nobody out whom that one let in', async () => {
  const { proxy, gateway, close } = await gatewayBehindProxy()
  try {
    const { box } = await boxOf()
    const there = box.at(gateway)
    expect(await there.signIn()).toBe(0)
    const outdated = await linkOf(there)
    expect(await there.signIn()).toBe(0)
    world.clock.pass({ seconds: 6 })
    expect(await there.poll()).toBe(true)
    // With nothing lost, who was let in elsewhere a moment ago may watch at once.
    expect(await box.signIn()).toBe(0)
    const fresh = await linkOf(box)
    expect((await fetch(`${gateway.boxUrl}/stream/check`, { headers: fresh })).status).toBe(200)
    there.token = box.token
    const { name, box: off } = await boxOf()
    expect(await off.signIn()).toBe(0)
    const before = await linkOf(off)
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 6 })
    expect((await fetch(`${gateway.boxUrl}/stream/check`, { headers: before })).status).toBe(403)
    proxy.cutAt(0, 'in silence')
    world.clock.pass({ minutes: 1 })
    expect(await there.poll()).toBe(true)
    await expect.poll(() => gateway.logged.join(), { timeout: 30_000 }).toContain('answers from memory')
    // Who was let in meanwhile is not thrown out by a server that cannot know.
    await dealer.call(calls.clients.save, { login: name, status: true })
    world.clock.pass({ seconds: 6 })
    expect((await fetch(`${gateway.boxUrl}/stream/check`, { headers: await linkOf(off) })).status).toBe(503)
    // An app starts anew at the other server.
    expect(await box.signIn()).toBe(0)
    const headers = await linkOf(box)
    // What the lost server knows to be over is no reason to ask another one.
    expect((await fetch(`${gateway.boxUrl}/stream/check`, { headers: outdated })).status).toBe(403)
    there.token = box.token
    expect(await there.ask('watchdog/get_events', { init: '0' })).toMatchObject({
      status: 503,
      text: 'Please try again soon.',
    })
    expect((await fetch(`${gateway.boxUrl}/stream/check`, { headers })).status).toBe(503)
    await there.handshake(box.token)
    expect(there.token).toBe(box.token)
    expect([
      await box.poll(),
      (await fetch(`${world.server.boxUrl}/stream/check`, { headers })).status,
    ]).toEqual([true, 200])
  } finally {
    await close()
  }
})

test('a database that is there, but cannot write to a client now, keeps no box out that was in', async () => {
  const { name, box } = await boxOf()
  expect(await box.signIn()).toBe(0)
  const release = await holdOpen(
    world.server.ownerSql,
    (sql) => sql`select from client where name = ${name} for update`,
  )
  try {
    // Switched off and on, with something new to store.
    box.told.ver = 'ImageDescription: 0.2.18-r24'
    await box.handshake(box.token)
    expect(await box.getProfile()).toMatchObject({ status: 0 })
  } finally {
    await release()
  }
  expect(world.server.logged.filter((line) => line.includes('"level":50'))).toEqual([])
  expect(world.server.logged.join()).toContain(
    'the database can be reached, but failed to do what a box needs',
  )
})

test('what boxes tell and are to be told while the database is away waits until it is back', async () => {
  const { name, box } = await boxOf()
  const { name: ending, box: obeying } = await boxOf({ obeys: true })
  expect([await box.signIn(), await obeying.signIn()]).toEqual([0, 0])
  await world.server.gateway.write()
  await dealer.call(calls.clients.tell, { clients: [name], event: 'message', message: 'Hello' })
  await world.setExpiry(ending, new Date(world.clock.now.getTime() + 60_000).toISOString())
  world.clock.pass({ seconds: 5 })
  // Its server hears of both changes, and nothing is told yet.
  expect(await obeying.events()).toBe('')
  const bringBack = await takeAway()
  try {
    world.clock.pass({ minutes: 6 })
    // A box that cannot be told to stop is refused.
    expect([await box.events(), await obeying.events()]).toEqual(['', null])
    await world.server.gateway.write()
  } finally {
    await bringBack()
  }
  const last_active = world.clock.now.toISOString()
  // Nobody asks the gateway to store it.
  await expect
    .poll(() => dealer.call(calls.clients.detail, { name }), { timeout: 60_000, interval: 500 })
    .toMatchObject({ online: true, last_active })
  await expect.poll(() => box.events(), { timeout: 30_000 }).toBe('Hello')
  expect([await box.events(), await obeying.events()]).toEqual(['', 'cut_off'])
})
