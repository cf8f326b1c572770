import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { Box } from '../../../test/support/box.ts'
import { givePlaylist } from '../../../test/support/playlist.ts'
import type { TestServer } from '../../../test/support/server.ts'
import { openWorld, type Person, type World } from '../../../test/support/world.ts'
import { askedPathOf, leadsTo, sortedPathsOf, streamPathOf } from './stream-paths.ts'

const PLAYLIST = `#EXTM3U
#EXTINF:-1 tvg-id="one" group-title="News",One
http://streams.example/{token}/one/index.m3u8
#EXTINF:-1 tvg-id="two" group-title="News",Two
http://streams.example/{token}/two/index.m3u8
#EXTINF:-1 tvg-id="three" group-title="Sports",Three
http://streams.example/live/three.m3u8?token={token}
#EXTINF:-1 tvg-id="four" group-title="Sports",Four
http://streams.example/live/four.m3u8?token={token}`

const HOME = '203.0.113.9'

let world: World
let dealer: Person
beforeAll(async () => {
  world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  dealer = (await world.family({ credits: 100 })).dealer
  await give(PLAYLIST)
})
afterAll(() => world.close())

async function give(playlist: string): Promise<void> {
  await givePlaylist(world, playlist)
  world.clock.pass({ seconds: 5 })
}

/** Signs a box in, and returns the path of a channel that it is linked to. */
async function watching(title = 'One', address = HOME) {
  const { name, mac } = await world.client(dealer, { months: 1 })
  const box = new Box(world.server, { mac, address })
  expect(await box.signIn()).toBe(0)
  return { name, box, path: await linkOf(box, title) }
}

async function linkOf(box: Box, title: string): Promise<string> {
  const { data } = await box.call('itv/get_all_channels')
  const { cmd = '' } = data.find(({ name }) => name === title) ?? {}
  const { cmd: link } = await box.call('itv/create_link', { cmd })
  return link.replace(/^ffmpeg http:\/\/streams\.example/, '')
}

/** Asks as nginx does. */
async function ask(path: string, viewer = HOME, server: TestServer = world.server): Promise<number> {
  const { status } = await fetch(`${server.boxUrl}/stream/check`, {
    headers: { 'x-original-uri': path, 'x-viewer-address': viewer },
  })
  return status
}

/** Asks as Flussonic does. */
async function askByName(name: string, token: string, ip = HOME): Promise<number> {
  return (await answerByName(name, token, ip)).status
}

function answerByName(name: string, token: string, ip = HOME): Promise<Response> {
  const query = new URLSearchParams({ name, token, ip, proto: 'hls' })
  return fetch(`${world.server.boxUrl}/stream/check?${query}`)
}

describe('a stream', () => {
  test('may be watched with the address that the box got, with all its segments', async () => {
    const { path } = await watching()
    expect(await ask(path)).toBe(200)
    expect(await ask(path.replace('index.m3u8', 'low/piece-1.ts?x=1'))).toBe(200)
    world.clock.pass({ minutes: 30 })
    expect(await ask(path)).toBe(200)
  })

  test('may not be watched without a token, or with one that was changed', async () => {
    const { path } = await watching()
    const changed = [...path].map(
      (_, at) => path.slice(0, at) + (path[at] === 'a' ? 'b' : 'a') + path.slice(at + 1),
    )
    const tokenEnds = path.indexOf('/one/')
    for (const one of changed.slice(1, tokenEnds)) expect(await ask(one), one).toBe(403)
    for (const none of ['', '/', '/one/index.m3u8', path.slice(2), path.toUpperCase()])
      expect(await ask(none), none).toBe(403)
    expect(await ask(path)).toBe(200)
  })

  test('of another channel may not be watched, whatever its address is made to look like', async () => {
    const { path } = await watching()
    expect(await ask(path)).toBe(200)
    const root = path.replace(/\/one\/.*/, '')
    for (const other of [
      ...[
        '/two/index.m3u8',
        '/one/../two/index.m3u8',
        '/one/%2e%2e/two/index.m3u8',
        '/one/..%2ftwo/index.m3u8',
      ],
      ...['//two/index.m3u8', '/one\\..\\two', '/one', '/one/%00', '/one/%zz', ''],
      // Kodi cuts an address at a `|`, and servers do not.
      ...['/one/index.m3u8|/../../two/index.m3u8', '/one/x|/../../two/piece-1.ts', '/one/x#/../../two/x'],
    ])
      expect(await ask(root + other), other).toBe(403)
    expect(await ask(`/two/index.m3u8?token=${root.slice(1)}`)).toBe(403)
  })

  test('whose folder has other channels too may be watched at its own address alone', async () => {
    const { path } = await watching('Three')
    expect(await ask(path)).toBe(200)
    expect(await ask(path.replace('three', 'four'))).toBe(403)
    expect(await ask(path.replace('three.m3u8', 'piece.ts'))).toBe(403)
  })

  test('may not be watched with the token of a channel whose folder it is in, or at whose path it is', async () => {
    const nested = ['{token}/a/index.m3u8', '{token}/a/hd/index.m3u8', '{token}/index.m3u8']
    const asked = [
      'play?ch=1&token={token}',
      'play?ch=2&token={token}',
      'live/a/x?token={token}',
      'live?token={token}',
    ]
    const all = [...nested, ...asked]
    await give(all.map((at, nr) => `#EXTINF:-1,${nr}\nhttp://streams.example/${at}`).join('\n'))
    const { box } = await watching('0')
    const links = []
    for (const nr of all.keys()) links.push(await linkOf(box, String(nr)))
    for (const link of links) expect(await ask(link), link).toBe(200)
    const tokens = links.map((link) => /[0-9a-z-]{60,}/.exec(link)?.[0] ?? '')
    for (const [own, token] of tokens.entries())
      for (const [other, at] of all.entries())
        expect(await ask(`/${at.replace('{token}', token)}`), `${at} by ${own}`).toBe(
          own === other ? 200 : 403,
        )
    const [a = '', hd = '', , one = '', , live = ''] = tokens
    expect(await ask(`/${hd}/a/hd/low/piece-1.ts`)).toBe(200)
    expect(await ask(`/${a}/a/piece-1.ts`)).toBe(403)
    expect(await ask(`/play?ch=1&token=${one}&ch=2`)).toBe(403)
    expect([await askByName('live', live), await askByName('live/a', live)]).toEqual([403, 200])
    expect(await askByName(`${hd}/a`, hd)).toBe(403)
    expect(await askByName(`${hd}/a/hd`, hd)).toBe(200)
    await give(PLAYLIST)
  })

  test('of a channel that is listed twice may be watched with all its segments', async () => {
    const twice = PLAYLIST.replace('tvg-id="one"', 'tvg-id="again"').replace('News",One', 'Sports",Again')
    await give(`${PLAYLIST}\n${twice.split('\n').slice(1, 3).join('\n')}`)
    const { box, path } = await watching()
    expect(await ask(path.replace('index.m3u8', 'piece-1.ts'))).toBe(200)
    expect(await ask((await linkOf(box, 'Again')).replace('index.m3u8', 'piece-1.ts'))).toBe(200)
    await give(PLAYLIST)
  })

  test('must be begun within 2 minutes, and ends after 24 hours', async () => {
    const { path } = await watching()
    const { path: late } = await watching()
    world.clock.pass({ minutes: 2 })
    expect(await ask(path)).toBe(200)
    world.clock.pass({ seconds: 1 })
    expect([await ask(path), await ask(late)]).toEqual([200, 403])
    world.clock.pass({ hours: 23, minutes: 57 })
    expect(await ask(path)).toBe(200)
    world.clock.pass({ minutes: 2 })
    expect(await ask(path)).toBe(403)
  })

  test('goes on while its client zaps through others, here and on another server', async () => {
    const { box, path } = await watching()
    const other = await world.another()
    const zap = async () => {
      world.clock.pass({ seconds: 1 })
      const link = await linkOf(box, 'Two')
      expect(await ask(link)).toBe(200)
      return link
    }
    const stored = async (link: string) => {
      const [row] = await world.server.sql<{ is: boolean }[]>`
        select exists (select from stream_use where ${/[0-9a-f]{32}/.exec(link)?.[0] ?? ''} = any (tokens)) as is`
      return row?.is
    }
    try {
      expect(await ask(path)).toBe(200)
      world.clock.pass({ minutes: 3 })
      expect(await ask(path)).toBe(200)
      const first = await zap()
      await expect.poll(() => stored(first), { timeout: 60_000 }).toBe(true)
      for (let more = 1; more < 8; more += 1) await zap()
      await expect.poll(() => stored(first), { timeout: 60_000 }).toBe(false)
      expect([await ask(path), await ask(path, HOME, other)]).toEqual([200, 200])
      world.clock.pass({ minutes: 3 })
      // Only the newest are kept of those that were zapped through.
      expect(await ask(first)).toBe(403)
    } finally {
      await other.close()
    }
  })

  test('ends with the service, the package, the box and the channel', async () => {
    const { name, box, path } = await watching()
    const settled = async () => {
      world.clock.pass({ seconds: 5 })
      return ask(path)
    }
    expect(await settled()).toBe(200)
    await dealer.call(calls.clients.save, { login: name, status: false })
    expect(await settled()).toBe(403)
    await dealer.call(calls.clients.save, { login: name, status: true, package_selection: 3 })
    expect(await settled()).toBe(403)
    await dealer.call(calls.clients.save, { login: name, package_selection: 1 })
    expect(await settled()).toBe(200)
    await give(PLAYLIST.replace('tvg-id="one"', 'tvg-id="uno"'))
    expect(await settled()).toBe(403)
    await give(PLAYLIST)
    expect(await settled()).toBe(200)
    await box.signIn()
    expect(await settled()).toBe(403)
  })

  test('ends at the moment of the expiry', async () => {
    const { name, path } = await watching()
    await world.setExpiry(name, new Date(world.clock.now.getTime() + 60_000).toISOString())
    world.clock.pass({ seconds: 60 })
    expect(await ask(path)).toBe(200)
    world.clock.pass({ ms: 1 })
    expect(await ask(path)).toBe(403)
  })

  test('is watched in one network at a time, though copies of a box ask for links in their own', async () => {
    const { box, path } = await watching()
    expect(await ask(path)).toBe(200)
    // A second household has the MAC and the token of the box, and asks before the first 2 minutes of each link are
    // over.
    const copy = box.at(world.server)
    copy.address = '198.51.100.7'
    const ofCopy = async () => {
      world.clock.pass({ seconds: 90 })
      const link = await linkOf(copy, 'One')
      expect([await ask(link, copy.address ?? ''), await ask(path)]).toEqual([200, 403])
      return link
    }
    await ofCopy()
    const last = await ofCopy()
    world.clock.pass({ minutes: 5 })
    expect([await ask(last, copy.address), await ask(path)]).toEqual([200, 403])
    // The box itself plays on with the next link, all its streams, and ends those of the copy.
    const [own, recording] = [await linkOf(box, 'Two'), await linkOf(box, 'One')]
    expect([await ask(own), await ask(recording), await ask(own)]).toEqual([200, 200, 200])
    expect(await ask(last, copy.address)).toBe(403)
  })

  test('stays in its network where an older link is watched on, and another copy has one that is newer', async () => {
    const { box, path } = await watching()
    expect(await ask(path)).toBe(200)
    const copy = box.at(world.server)
    copy.address = '198.51.100.7'
    world.clock.pass({ seconds: 121 })
    const ofCopy = await linkOf(copy, 'One')
    world.clock.pass({ seconds: 1 })
    expect(await ask(await linkOf(box, 'Two'))).toBe(200)
    expect([await ask(path), await ask(ofCopy, copy.address)]).toEqual([200, 403])
  })

  test.each([
    ['over that', HOME],
    ['over IPv6', '2001:db8:1:2::7'],
  ])(
    'that its box asked for over IPv4, and that is first watched %s, may be watched in one network of IPv6',
    async (_how, first) => {
      const { box, path } = await watching()
      for (const viewer of [first, '2001:db8:1:2::7', HOME, '2001:db8:1:2::9'])
        expect(await ask(path, viewer)).toBe(200)
      expect(await ask(path, '2001:db8:1:3::7')).toBe(403)
      world.clock.pass({ minutes: 10 })
      expect([await ask(path, '2001:db8:1:3::7'), await ask(path, '2001:db8:1:2::7')]).toEqual([403, 200])
      expect(await ask(await linkOf(box, 'One'), '2001:db8:1:3::7')).toBe(200)
    },
  )

  test('that is watched over IPv4 for a while may then be watched in one network of IPv6', async () => {
    const { path } = await watching()
    expect(await ask(path)).toBe(200)
    world.clock.pass({ minutes: 10 })
    expect([await ask(path, '2001:db8:1:2::7'), await ask(path, '2001:db8:1:3::7'), await ask(path)]).toEqual(
      [200, 403, 200],
    )
  })

  test('may be watched elsewhere by a newer link, though a clock that was ahead has made the one before', async () => {
    world.clock.pass({ hours: 3 })
    const { box, path } = await watching()
    expect(await ask(path)).toBe(200)
    world.clock.pass({ hours: -3 })
    box.address = '198.51.100.8'
    const link = await linkOf(box, 'One')
    expect(await ask(link, box.address)).toBe(200)
  })

  test('may be watched from the network of its box alone, and from any of the other family', async () => {
    const { path } = await watching()
    expect(await ask(path, '203.0.113.10')).toBe(403)
    expect(await ask(path, '2001:db8::1')).toBe(200)
    expect(await ask(path, 'nowhere')).toBe(403)
    const { path: six } = await watching('One', '2001:db8:1:2::7')
    expect(await ask(six, '2001:db8:1:2:ffff::1')).toBe(200)
    expect(await ask(six, '2001:db8:1:3::7')).toBe(403)
    expect(await ask(six, HOME)).toBe(200)
    expect(await ask(six, '')).toBe(403)
  })

  test('is found by its name for Flussonic', async () => {
    const { path } = await watching()
    const token = path.split('/')[1] ?? ''
    const { path: three } = await watching('Three')
    const ofThree = three.split('=')[1] ?? ''
    const { status, headers } = await answerByName('live/three.m3u8', ofThree)
    // It asks again so soon that a change takes effect within 10 seconds.
    const said = ['x-authduration', 'cache-control'].map((name) => headers.get(name))
    expect([status, ...said]).toEqual([200, '5', 'no-store'])
    for (const name of ['', 'one', 'two', 'live', 'live/four.m3u8', 'liv', '..', '.'])
      expect(await askByName(name, ofThree), name).toBe(403)
    expect(await askByName(`${token}/one`, token)).toBe(200)
    expect(await askByName('live/three.m3u8', ofThree, '198.51.100.1')).toBe(403)
  })
})

test('only stream servers get an answer', async () => {
  const { path } = await watching()
  const headers = { 'x-original-uri': path, 'x-viewer-address': HOME }
  const asked = async (more: Record<string, string>, server = world.server) =>
    (await fetch(`${server.boxUrl}/stream/check`, { headers: { ...headers, ...more } })).status
  expect(await asked({ 'x-forwarded-for': HOME })).toBe(403)
  const untrusting = await world.another()
  // It came through a proxy on this machine, that anybody may use.
  expect(await asked({ 'x-forwarded-for': '127.0.0.1' }, untrusting)).toBe(403)
  expect(await asked({}, untrusting)).toBe(200)
  const elsewhere = await world.another({ env: { STREAM_SERVERS: '198.51.100.7' } })
  expect(await asked({}, elsewhere)).toBe(403)
  await untrusting.close()
  await elsewhere.close()
})

test('a viewer may be anywhere where STREAM_TOKEN_IP is off', async () => {
  const { path } = await watching()
  const server = await world.another({ env: { STREAM_TOKEN_IP: 'off' } })
  expect([await ask(path, '198.51.100.1', server), await ask(path, '', server)]).toEqual([200, 200])
  await server.close()
})

test('a viewer goes on watching after a restart, and on another server', async () => {
  const { path } = await watching()
  const first = await world.another()
  expect(await ask(path, HOME, first)).toBe(200)
  await first.close()
  world.clock.pass({ minutes: 10 })
  const second = await world.another()
  expect(await ask(path, HOME, second)).toBe(200)
  expect(await ask(path)).toBe(200)
  await second.close()
})

test('a viewer may watch at once at a server that has not yet heard what let the box in', async () => {
  const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  for (const [until, from] of [
    [{ status: false }, { status: true }],
    [{ package_selection: 3 }, { package_selection: 1 }],
  ] as const) {
    const { name, box, path } = await watching()
    await dealer.call(calls.clients.save, { login: name, ...until })
    world.clock.pass({ seconds: 6 })
    expect([await ask(path), await ask(path, HOME, other)]).toEqual([403, 403])
    world.clock.pass({ seconds: 2 })
    // It reads the changes now, and not again within 2 seconds.
    await expect.poll(() => ask(path, HOME, other)).toBe(403)
    world.clock.pass({ seconds: 1 })
    await dealer.call(calls.clients.save, { login: name, ...from })
    const there = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const fresh = await linkOf(box.at(there), 'One')
    expect([await ask(fresh, HOME, there), await ask(fresh, HOME, other)]).toEqual([200, 200])
    await there.close()
  }
  await other.close()
})

test('a path is read as a server reads it, or not at all', () => {
  expect(streamPathOf('http://s.example:8080/a%20b/c.ts?x=1#y')).toEqual({ path: '/a b/c.ts', query: 'x=1' })
  expect(streamPathOf('http://s.example/a/?x|User-Agent=y')).toEqual({ path: '/a/', query: 'x' })
  expect(askedPathOf('/a/c.ts?x=1|y')).toEqual({ path: '/a/c.ts', query: 'x=1|y' })
  for (const path of [
    '/a//b',
    '/a/./b',
    '/a/../b',
    '/a/..',
    '/a%2fb',
    '/a%5Cb',
    '/a\\b',
    '/a%00',
    '/%zz',
    '/%2e%2e/a',
  ]) {
    expect(streamPathOf(path), path).toBe(null)
    expect(askedPathOf(path), path).toBe(null)
  }
  for (const path of ['/a|/b', '/a#b', 'http://s.example/a']) expect(askedPathOf(path), path).toBe(null)
})

test('thousands of channels, each in a thousand folders of its own, open like any other', () => {
  const deep = (at: number, name: string) => `http://s.example/${at}/${'a/'.repeat(980)}${name}`
  const paths = sortedPathsOf(Array.from({ length: 20_000 }, (_, at) => deep(at, 'index.m3u8')))
  const opens = (asked: string, address: string, among = paths) =>
    leadsTo(asked.replace('http://s.example', ''), { address, filled: address }, among)
  expect(opens(deep(7, 'index.m3u8'), deep(7, 'index.m3u8'))).toBe(true)
  expect(opens(deep(7, 'piece.ts'), deep(7, 'index.m3u8'))).toBe(true)
  expect(opens(deep(8, 'piece.ts'), deep(7, 'index.m3u8'))).toBe(false)
  const beside = sortedPathsOf([deep(7, 'index.m3u8'), deep(7, 'below/index.m3u8')])
  expect(opens(deep(7, 'piece.ts'), deep(7, 'index.m3u8'), beside)).toBe(false)
})
