import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { verdictsOf } from '../../web/clients/verdict.ts'
import { Box } from '../support/box.ts'
import { freshFolder } from '../support/folder.ts'
import { type Nginx, startNginx } from '../support/nginx.ts'
import { givePlaylist } from '../support/playlist.ts'
import { openWorld, type Person, uniqueMac, type World } from '../support/world.ts'
import { Kodi, type Portal, sayWhatIsMissing } from './kodi.ts'
import { startStream } from './streams.ts'

// The real Kodi of Debian with its PVR Stalker Client, a real nginx that asks the stream check, and streams of ffmpeg.

const { detail, renew, save } = calls.clients
/** Kodi polls every two minutes, unless something else makes it ask, such as its programme guide. */
const NEXT_POLL = { timeout: 200_000, interval: 1_000 }
const SOON = { timeout: 60_000, interval: 500 }

/** The package 'All Packages/No Adults', which holds new groups as 'All Packages' does. */
const NO_ADULTS = 7

let world: World
let streams: Nginx
let live: ChildProcess[]
let dealer: Person
let kodi: Kodi | null = null

beforeAll(async () => {
  sayWhatIsMissing()
  world = await openWorld({ env: { BOX_PORT: '0' } })
  dealer = (await world.family({ credits: 100 })).dealer
  const folder = freshFolder()
  live = await Promise.all(['one', 'late'].map((name) => startStream(join(folder, 'streams', name))))
  streams = await startNginx(folder, world.server)
  const playlist = `#EXTM3U
#EXTINF:-1 tvg-id="one" tvg-chno="1" group-title="News",One
${streams.url}/{token}/one/index.m3u8
#EXTINF:-1 tvg-id="late" tvg-chno="2" group-title="Adults",Late
${streams.url}/{token}/late/index.m3u8
`
  await givePlaylist(world, playlist)
})
afterEach(async () => {
  await kodi?.stop()
  kodi = null
})
afterAll(async () => {
  for (const stream of live) stream.kill()
  await streams.stop()
  await world.close()
})

async function open(portal: Omit<Portal, 'url'>): Promise<Kodi> {
  world.clock.pass({ seconds: 5 })
  kodi = await Kodi.start({ url: `${world.server.boxUrl}/c/`, ...portal })
  return kodi
}

const namesOf = async (kodi: Kodi) => (await kodi.channels()).map(({ label }) => label).sort()

async function seen(name: string) {
  await world.server.gateway.write()
  return dealer.call(detail, { name })
}

/** The first thing that the dealer reads of a client whose box was refused. */
async function readOf(name: string): Promise<string> {
  const { now } = world.clock
  return verdictsOf(await seen(name), now, world.server.config.timeZone)
    .map(({ says }) => says)
    .join('; ')
}

/** What the admin reads of the boxes that were refused. */
async function refusals() {
  await world.server.gateway.write()
  return (await world.admin.call(calls.boxes.overview)).refused
}

/** The number of segments of the channel One that were watched. */
function segmentsOfOne(): number {
  return streams.answers().filter(({ path, status }) => /^one\/.+\.ts$/.test(path) && status < 300).length
}

/** What takes the picture from a client, and what its dealer then reads. */
const REFUSALS = [
  {
    refused: 'switched off',
    given: (login: string) => dealer.call(save, { login, status: false }),
    reads: /^Switched off; Its box was refused .+: the client is switched off/,
  },
  {
    refused: 'expired',
    given: (name: string) => world.setExpiry(name, '2026-05-01T00:00:00.000Z'),
    reads: /^Expired .+; Its box was refused /,
  },
  {
    refused: 'locked to another address',
    given: async (login: string) => {
      await dealer.call(save, { login, locked: true })
      await world.server.ownerSql`
        insert into device (client, locked_to_ip) select id, '203.0.113.7' from client where name = ${login}`
    },
    reads: /^Locked to 203\.0\.113\.7; Its box was refused /,
  },
  {
    refused: 'not the box that came first',
    given: async (_login: string, mac: string) => {
      world.clock.pass({ seconds: 5 })
      await new Box(world.server, { mac, told: { sn: 'ANOTHER0001' } }).signIn()
    },
    reads: /^Its box was refused .+: /,
  },
]

describe('Kodi', () => {
  test('plays what its package holds, is out by its next call once it has expired, and in again once renewed', async () => {
    const { name, mac } = await world.client(dealer, { months: 1 })
    const box = await open({ mac, serial: 'KODI0001' })
    await expect.poll(() => namesOf(box), SOON).toEqual(['Late', 'One'])
    const [one] = (await box.channels()).filter(({ label }) => label === 'One')
    if (!one) throw new Error('There is no channel One')
    await box.play(one)
    await expect.poll(segmentsOfOne, SOON).toBeGreaterThanOrEqual(5)
    expect(await box.isPlaying()).toBe(true)
    expect(streams.answers().filter(({ status }) => status >= 300)).toEqual([])
    expect(await seen(name)).toMatchObject({
      online: true,
      stb_sn: 'KODI0001',
      stb_type: 'MAG250',
      last_address: '127.0.0.1',
      watching: 'One',
      box_refusal: null,
      last_active: expect.any(String),
      version: expect.stringContaining('ImageDescription'),
    })

    world.clock.pass({ days: 40 })
    await expect.poll(() => box.log(), NEXT_POLL).toContain('Authorization failed.')
    await expect.poll(() => readOf(name), NEXT_POLL).toMatch(/^Expired/)
    await expect.poll(() => box.isPlaying(), NEXT_POLL).toBe(false)
    expect(streams.answers().at(-1)?.status).toBe(403)

    const back = await world.signIn(dealer.name)
    await back.call(renew, { name, months: 1 })
    dealer = back
    world.clock.pass({ seconds: 5 })
    // It gives up after five tries, so somebody has to start it again.
    await box.stop()
    const again = await open({ mac, serial: 'KODI0001' })
    await expect.poll(() => namesOf(again), SOON).toEqual(['Late', 'One'])
  })

  test('gets the channels of its package alone', async () => {
    const { mac } = await world.client(dealer, { months: 1, package_selection: NO_ADULTS })
    const box = await open({ mac })
    await expect.poll(() => namesOf(box), SOON).toEqual(['One'])
  })

  test('signs in for a Ministra client by its login and password', async () => {
    const { name } = await world.client(dealer, { months: 1, ministra: true, password: 'tv-secret' })
    const box = await open({ mac: uniqueMac(), login: name, password: 'tv-secret' })
    await expect.poll(() => namesOf(box), SOON).toEqual(['Late', 'One'])
    expect(await seen(name)).toMatchObject({ online: true })
  })

  test.each(REFUSALS)('that is $refused is out, and its dealer reads why', async ({ given, reads }) => {
    const { name, mac } = await world.client(dealer, { months: 1 })
    await given(name, mac)
    const box = await open({ mac, serial: 'KODI0001' })
    await expect.poll(() => readOf(name), SOON).toMatch(reads)
    expect(await namesOf(box)).toEqual([])
  })

  test('whose dealer is suspended with the service is out, and the dealer reads nothing of it once it is lifted', async () => {
    const { suspend, lift } = calls.tree
    const { name, mac } = await world.client(dealer, { months: 1 })
    await world.admin.call(suspend, { name: dealer.name, service_too: true })
    world.clock.pass({ seconds: 5 })
    const box = await open({ mac, serial: 'KODI0001' })
    await expect.poll(refusals, SOON).toContainEqual({ reason: 'suspended', boxes: 1 })
    expect(await namesOf(box)).toEqual([])
    await box.stop()
    await world.admin.call(lift, { name: dealer.name })
    dealer = await world.signIn(dealer.name)
    expect(await readOf(name)).toMatch(/^Served until/)
  })

  test('that no client has is out, and is told to the admin and to who types its MAC', async () => {
    const mac = uniqueMac()
    const box = await open({ mac })
    await expect.poll(refusals, SOON).toContainEqual({ reason: 'unknown', boxes: 1 })
    expect(await namesOf(box)).toEqual([])
    expect(await dealer.call(calls.clients.macLastSeen, { mac })).toEqual({ asked: expect.any(String) })
    expect(await world.admin.call(calls.boxes.unknown, { search: mac })).toMatchObject({ data: [{ mac }] })
  })
})
