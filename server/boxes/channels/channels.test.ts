import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { Box } from '../../../test/support/box.ts'
import { givePlaylist, letHold, playlistOf } from '../../../test/support/playlist.ts'
import { promotable } from '../../../test/support/promotion.ts'
import { SECRET_KEY } from '../../../test/support/server.ts'
import { openWorld, type Person, uniqueMac, type World } from '../../../test/support/world.ts'
import { createSeal } from '../../access/seal.ts'
import { type Channels, openChannels } from './channels.ts'

const PLAYLIST = `#EXTM3U
#EXTINF:-1 tvg-id="one" tvg-chno="7" tvg-logo="http://logos.example/one.png" group-title="News",One
http://streams.example/{login}/one?token={token}
#EXTINF:-1 tvg-id="two" group-title="News",Two
http://streams.example/two?box={mac}
#EXTINF:-1 tvg-id="late" group-title="Adults",Late
http://streams.example/late
${playlistOf(20, 'Many').replace('#EXTM3U\n', '')}`

/** The package that holds News and Adults, and the same without what is for adults. */
const ADULTS = 3
const NO_ADULTS = 4
/** Another package that holds News and Adults. */
const SAME = 5

let world: World
let dealer: Person
beforeAll(async () => {
  world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  dealer = (await world.family({ credits: 100 })).dealer
  await give(PLAYLIST)
  for (const holder of [ADULTS, NO_ADULTS, SAME]) await letHold(world, holder, ['News', 'Adults'])
})
afterAll(() => world.close())

async function give(playlist: string): Promise<void> {
  await givePlaylist(world, playlist)
  world.clock.pass({ seconds: 5 })
}

async function boxOf(package_selection: 1 | typeof ADULTS | typeof NO_ADULTS, obeys = false) {
  const { name, mac } = await world.client(dealer, { months: 1, package_selection })
  const box = new Box(world.server, { mac, obeys, address: '203.0.113.9' })
  expect(await box.signIn()).toBe(0)
  return { name, box }
}

async function namesOf(box: Box): Promise<string[]> {
  return (await box.call('itv/get_all_channels')).data.map(({ name }) => name)
}

describe('a box', () => {
  test('gets the channels of its package with their numbers, genres and logos', async () => {
    const { box } = await boxOf(ADULTS)
    const { data, total_items } = await box.call('itv/get_all_channels')
    expect(total_items).toBe(3)
    expect(data.map(({ name, number, logo, censored }) => [name, number, logo, censored])).toEqual([
      ['Two', '1', '', 0],
      ['Late', '2', '', 1],
      ['One', '7', 'http://logos.example/one.png', 0],
    ])
    const genres = await box.call('itv/get_genres')
    expect(genres.map(({ title }) => title)).toEqual(['All', 'News', 'Adults'])
    expect(data.map(({ tv_genre_id }) => genres.find(({ id }) => id === tv_genre_id)?.title)).toEqual([
      'News',
      'Adults',
      'News',
    ])
    expect(JSON.stringify(data)).not.toContain('streams.example')
  })

  test('gets nothing for adults in a package without that', async () => {
    const { box } = await boxOf(NO_ADULTS)
    expect(await namesOf(box)).toEqual(['Two', 'One'])
    expect((await box.call('itv/get_genres')).map(({ title }) => title)).toEqual(['All', 'News'])
  })

  test('gets lists by genre in pages, by number or by name', async () => {
    const { box } = await boxOf(1)
    const genre = (await box.call('itv/get_genres')).find(({ title }) => title === 'Many')?.id ?? ''
    const page = (p: string, more = {}) => box.call('itv/get_ordered_list', { genre, p, ...more })
    const first = await page('1')
    expect([first.total_items, first.max_page_items, first.data.length]).toEqual([20, 14, 14])
    expect((await page('2')).data.map(({ name }) => name)).toEqual(
      Array.from({ length: 6 }, (_, at) => `Many ${at + 14}`),
    )
    expect((await page('3')).data).toEqual([])
    expect((await page('0')).data).toEqual(first.data)
    expect((await page('1', { sortby: 'name' })).data[1]?.name).toBe('Many 1')
    expect((await page('1', { sortby: 'name' })).data[2]?.name).toBe('Many 10')
    // Kodi asks for it beside all others.
    expect((await box.call('itv/get_ordered_list', { genre: '10', p: '1' })).total_items).toBe(0)
    const names = ['ZDF', 'arte', 'Ärzte TV', 'n-tv']
    await give(
      names.map((name) => `#EXTINF:-1 group-title="News",${name}\nhttp://streams.example/n`).join('\n'),
    )
    const byName = await page('1', { genre: '*', sortby: 'name' })
    expect(byName.data.map(({ name }) => name)).toEqual(['arte', 'Ärzte TV', 'n-tv', 'ZDF'])
    await give(PLAYLIST)
  })

  test('gets the address of a channel with its login, MAC and a token of its own', async () => {
    const { name, box } = await boxOf(ADULTS)
    const link = async (title: string, from: Box = box) => {
      const { data } = await from.call('itv/get_all_channels')
      const { cmd = '' } = data.find(({ name }) => name === title) ?? {}
      return (await from.call('itv/create_link', { cmd })).cmd
    }
    const one = await link('One')
    expect(one).toMatch(new RegExp(`^ffmpeg http://streams\\.example/${name}/one\\?token=[0-9a-z-]{40,}$`))
    expect(await link('Two')).toBe(`ffmpeg http://streams.example/two?box=${box.mac}`)
    const other = await boxOf(ADULTS)
    expect((await link('One', other.box)).split('=')[1]).not.toBe(one.split('=')[1])
    await box.signIn()
    expect((await link('One')).split('=')[1]).not.toBe(one.split('=')[1])
  })

  test('gets no address of a channel that its package does not hold, and none that it makes up', async () => {
    const { box: all } = await boxOf(1)
    const { box } = await boxOf(NO_ADULTS)
    const cmds = (await all.call('itv/get_all_channels')).data
      .filter(({ name }) => name === 'Late' || name === 'Many 3')
      .map(({ cmd }) => cmd)
    expect(cmds).toHaveLength(2)
    for (const cmd of [...cmds, 'ffmpeg http://localhost/ch/999999_', 'http://streams.example/late', ''])
      expect(await box.call('itv/create_link', { cmd })).toEqual({
        id: '0',
        cmd: '',
        error: 'nothing_to_play',
      })
  })

  test("with 'Alt Player' gets the other player's word", async () => {
    const { name, box } = await boxOf(ADULTS)
    await dealer.call(calls.clients.save, { login: name, alt_player: true })
    world.clock.pass({ seconds: 5 })
    const [channel] = (await box.call('itv/get_all_channels')).data
    expect(channel?.cmd).toMatch(/^ffrt /)
    expect((await box.call('itv/create_link', { cmd: channel?.cmd ?? '' })).cmd).toMatch(/^ffrt http/)
  })

  test('keeps its favourites, of the channels that it may watch', async () => {
    const { box } = await boxOf(NO_ADULTS)
    const { box: all } = await boxOf(1)
    const late = (await all.call('itv/get_all_channels')).data.find(({ name }) => name === 'Late')
    const ids = (await box.call('itv/get_all_channels')).data.map(({ id }) => id)
    await box.call('itv/set_fav', { fav_ch: [ids[1], late?.id, 'x', '-1', ids[1], '9'.repeat(30)].join(',') })
    expect(await box.call('itv/get_fav_ids')).toEqual([ids[1]])
    const listed = await box.call('itv/get_ordered_list', { fav: '1', p: '1' })
    expect(listed.data).toMatchObject([{ id: ids[1], fav: 1 }])
    // The list of all is the same for all boxes, and does not say of any channel that it is no favourite.
    for (const channel of (await box.call('itv/get_all_channels')).data)
      expect(channel).not.toHaveProperty('fav')
    expect(await all.call('itv/get_fav_ids')).toEqual([])
    await box.call('itv/set_fav', { fav_ch: '' })
    expect(await box.call('itv/get_fav_ids')).toEqual([])
  })

  test('keeps a favourite that its channels are without for a while, also where it marks another meanwhile', async () => {
    const { box } = await boxOf(NO_ADULTS)
    const [one, two] = (await box.call('itv/get_all_channels')).data.map(({ id }) => id)
    await box.call('itv/set_fav', { fav_ch: String(one) })
    await letHold(world, NO_ADULTS, ['Many'])
    world.clock.pass({ seconds: 5 })
    const [other] = (await box.call('itv/get_all_channels')).data.map(({ id }) => id)
    const known = await box.call('itv/get_fav_ids')
    // The second one was never its favourite, and it may not watch that now.
    await box.call('itv/set_fav', { fav_ch: [...known, two, other].join(',') })
    await letHold(world, NO_ADULTS, ['News', 'Adults'])
    world.clock.pass({ seconds: 5 })
    expect(await box.call('itv/get_fav_ids')).toEqual([one, other])
    expect((await box.call('itv/get_ordered_list', { fav: '1', p: '1' })).data).toMatchObject([{ id: one }])
  })

  test('leaves no favourites once its client was deleted', async () => {
    const { name, box } = await boxOf(1)
    const ids = (await box.call('itv/get_all_channels')).data.map(({ id }) => id)
    await box.call('itv/set_fav', { fav_ch: String(ids[1]) })
    const kept = () => world.server.sql`
      select channels from favourite f join client c on c.id = f.client where c.name = ${name}`
    expect(await kept()).toEqual([{ channels: [Number(ids[1])] }])
    await world.admin.call(calls.admin.remove, { name })
    expect(await kept()).toEqual([])
    // A server that has not heard of it yet lets it in for a moment.
    await box.ask('itv/set_fav', { fav_ch: String(ids[0]) })
    expect(await kept()).toEqual([])
  })

  test('hears of nothing once it may not play', async () => {
    const { name, box } = await boxOf(ADULTS)
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    for (const call of [
      'get_genres',
      'get_all_channels',
      'get_ordered_list',
      'create_link',
      'get_fav_ids',
      'set_fav',
    ])
      expect((await box.ask(`itv/${call}`)).text, call).toBe('Authorization failed.')
  })
})

test('the dealer sees what a box plays, what it played last and when, and that it has stopped', async () => {
  const { name, box } = await boxOf(ADULTS)
  const seen = async () => {
    await world.server.gateway.write()
    const { watching, time_last_play_tv, last_played_tv_content } = await dealer.call(calls.clients.detail, {
      name,
    })
    return [watching, last_played_tv_content, time_last_play_tv]
  }
  const { data } = await box.call('itv/get_all_channels')
  const idOf = (title: string) => data.find((one) => one.name === title)?.id ?? ''
  expect(await seen()).toEqual([null, null, null])
  await box.call('itv/create_link', { cmd: `ffmpeg http://localhost/ch/${idOf('One')}_` })
  const first = world.clock.now.toISOString()
  expect(await seen()).toEqual(['One', 'One', first])
  world.clock.pass({ minutes: 1 })
  expect(await box.poll()).toBe(true)
  expect(await seen()).toEqual(['One', 'One', first])
  await box.call('itv/set_played', { itv_id: idOf('Two') })
  const second = world.clock.now.toISOString()
  expect(await seen()).toEqual(['Two', 'Two', second])
  await box.call('stb/log', { real_action: 'play', tmp_type: '1', ch_id: '999999' })
  await box.call('stb/log', { real_action: 'pause', tmp_type: '1' })
  await box.call('stb/log', { real_action: 'play', tmp_type: '1' })
  await box.call('itv/set_played')
  expect(await seen()).toEqual(['Two', 'Two', second])
  await box.call('stb/log', { real_action: 'stop' })
  expect(await seen()).toEqual([null, 'Two', second])
  await box.call('itv/set_played', { itv_id: idOf('One') })
  await box.call('watchdog/get_events', { init: '0', cur_play_type: '0' })
  expect(await seen()).toEqual([null, 'One', world.clock.now.toISOString()])
  await box.call('stb/log', { real_action: 'play', tmp_type: '1', ch_id: idOf('Late') })
  await dealer.call(calls.clients.reset, { name })
  expect(await seen()).toEqual([null, null, null])
})

test('what a box plays, and has played last, is the last that it said, whichever gateway stores first', async () => {
  const other = await world.another({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  try {
    const { name, box } = await boxOf(ADULTS)
    const { data } = await box.call('itv/get_all_channels')
    const plays = async (at: Box, title: string) => {
      world.clock.pass({ minutes: 1 })
      await at.call('itv/set_played', { itv_id: data.find((one) => one.name === title)?.id ?? '' })
      return world.clock.now.toISOString()
    }
    const seen = async () => {
      for (const { gateway } of [world.server, other]) await gateway.write()
      return dealer.call(calls.clients.detail, { name })
    }
    await plays(box.at(other), 'One')
    const time_last_play_tv = await plays(box, 'Two')
    const last = { time_last_play_tv, last_played_tv_content: 'Two', watching: 'Two' }
    expect(await seen()).toMatchObject(last)
    const again = await plays(box.at(other), 'One')
    world.clock.pass({ minutes: 1 })
    // A poll says nothing of what it plays.
    expect(await box.poll()).toBe(true)
    const last_active = world.clock.now.toISOString()
    expect(await seen()).toMatchObject({ last_active, time_last_play_tv: again, watching: 'One' })
    // It is refused at the one before the other has stored that it stopped.
    await box.at(other).call('stb/log', { real_action: 'stop' })
    await dealer.call(calls.clients.save, { login: name, status: false })
    world.clock.pass({ seconds: 5 })
    expect(await box.poll()).toBe(false)
    expect(await seen()).toMatchObject({ box_refusal: 'switched_off', watching: null })
  } finally {
    await other.close()
  }
})

test.each([
  ['with a MAC', {}],
  ['of Ministra', { ministra: true, password: 'pass word' }],
])('what another box of a client %s played is not what this one plays', async (_which, input) => {
  const { name, mac } = await world.client(dealer, { months: 1, ...input })
  const boxes = [uniqueMac(), uniqueMac()].map(
    (own) => new Box(world.server, { mac: mac || own, address: '203.0.113.9' }),
  )
  const watching = async () => {
    await world.server.gateway.write()
    return (await dealer.call(calls.clients.detail, { name })).watching
  }
  for (const box of boxes) {
    world.clock.pass({ minutes: 1 })
    expect(await box.logIn(name, 'pass word')).toBe(0)
    expect(await box.poll()).toBe(true)
    expect(await watching()).toBeNull()
    const [one] = (await box.call('itv/get_all_channels')).data
    await box.call('itv/create_link', { cmd: one?.cmd ?? '' })
    expect(await watching()).toBe(one?.name)
    expect(await box.poll()).toBe(true)
    expect(await watching()).toBe(one?.name)
  }
})

test('what a box plays is stored under any name that a channel may have', async () => {
  const { name, box } = await boxOf(1)
  const titles = ['NULL', '{Sports}', 'One, "Two"', 'Back\\slash', "O'Neill", 'a\x1fb', 'ü 中 🎬']
  await give(`#EXTM3U\n${titles.map((title) => `#EXTINF:-1,${title}\nhttp://streams.example/x`).join('\n')}`)
  const { data } = await box.call('itv/get_all_channels')
  expect(data.map((one) => one.name)).toEqual(titles.map((title) => title.replace('\x1f', ' ')))
  for (const one of data) {
    await box.call('itv/set_played', { itv_id: one.id })
    await world.server.gateway.write()
    const seen = await dealer.call(calls.clients.detail, { name })
    expect([seen.watching, seen.last_played_tv_content]).toEqual([one.name, one.name])
  }
  await give(PLAYLIST)
})

test('what the admin and the dealer change reaches the boxes within 5 seconds', async () => {
  const { name, box } = await boxOf(NO_ADULTS)
  const { groups } = await world.admin.call(calls.channels.all)
  const adults = groups.find((group) => group.name === 'Adults')?.id ?? 0
  await world.admin.call(calls.channels.saveGroup, { group: adults, adult: false })
  world.clock.pass({ seconds: 5 })
  expect(await namesOf(box)).toEqual(['Two', 'Late', 'One'])
  await dealer.call(calls.clients.save, { login: name, package_selection: 1 })
  world.clock.pass({ seconds: 5 })
  expect(await namesOf(box)).toHaveLength(23)
  await give(playlistOf(4, 'Many'))
  expect(await namesOf(box)).toHaveLength(4)
  await give(PLAYLIST)
  expect(await namesOf(box)).toHaveLength(23)
})

test('a box that is told of another package gets its channels at any server, also at one that has not heard of it', async () => {
  const { name, box } = await boxOf(NO_ADULTS)
  const [there, late] = [await world.another(), await world.another()]
  expect(await box.at(there).events()).toBe('')
  world.clock.pass({ seconds: 1 })
  expect(await box.at(late).events()).toBe('')
  world.clock.pass({ seconds: 4 })
  await dealer.call(calls.clients.save, { login: name, package_selection: 1 })
  // It reads the changes only while it is asked, and answers from what it knows meanwhile.
  expect(await box.at(there).events()).toBe('update_channels')
  expect(await namesOf(box.at(late))).toHaveLength(23)
  await Promise.all([there.close(), late.close()])
})

test('what the admin changes reaches the boxes also after the clock of the database was set back', async () => {
  const { box } = await boxOf(1)
  await namesOf(box)
  world.clock.pass({ seconds: -60 })
  await give(playlistOf(4, 'Many'))
  expect(await box.events()).toBe('update_channels')
  expect(await namesOf(box)).toHaveLength(4)
  await give(PLAYLIST)
  expect(await namesOf(box)).toHaveLength(23)
})

describe('a box that polls', () => {
  test('is told once and within 240 seconds that its channels are others', async () => {
    const { box } = await boxOf(1)
    const { box: late } = await boxOf(1)
    const { box: curious } = await boxOf(1)
    expect([await box.events(), await late.events()]).toEqual(['', ''])
    await give(playlistOf(5, 'Many'))
    expect([await box.events(), await box.events()]).toEqual(['update_channels', ''])
    await namesOf(curious)
    expect(await curious.events()).toBe('')
    world.clock.pass({ seconds: 240 })
    expect(await late.events()).toBe('')
    await give(PLAYLIST)
    expect([await box.events(), await late.events()]).toEqual(['update_channels', 'update_channels'])
  })

  test('is told nothing where its channels stay the same but for their addresses, or only others have changed', async () => {
    const [{ box }, { box: other }] = [await boxOf(ADULTS), await boxOf(1)]
    expect(await box.events()).toBe('')
    await give(PLAYLIST.replaceAll('http://streams.example', 'http://moved.example'))
    expect([await box.events(), await other.events()]).toEqual(['', ''])
    await give(PLAYLIST.replace('Many 0\n', 'Many zero\n'))
    expect([await box.events(), await other.events()]).toEqual(['', 'update_channels'])
  })

  test('is told so after the message that waits for it, and not while it is refused', async () => {
    const { name, box } = await boxOf(1)
    const { name: off, box: cut } = await boxOf(1, true)
    expect(await box.events()).toBe('')
    await dealer.call(calls.clients.tell, { clients: [name], event: 'message', message: 'Hello' })
    await dealer.call(calls.clients.save, { login: off, status: false })
    await give(playlistOf(6, 'Many'))
    expect([await box.events(), await box.events(), await box.events()]).toEqual([
      'Hello',
      'update_channels',
      '',
    ])
    expect([await cut.events(), await cut.events()]).toEqual(['cut_off', ''])
    await dealer.call(calls.clients.save, { login: off, status: true })
    world.clock.pass({ seconds: 5 })
    expect([await cut.events(), await cut.events()]).toEqual(['cut_on', 'update_channels'])
    await give(PLAYLIST)
  })
})

test('a list of channels is sent compressed to a box that reads that, and as it is to others', async () => {
  await give(playlistOf(50, 'Many'))
  const { box } = await boxOf(1)
  const ask = (accepted: string) =>
    box.ask('itv/get_all_channels', {}, { headers: { 'accept-encoding': accepted } })
  const [plain, small, refused, short] = await Promise.all([
    ask('identity'),
    ask('deflate, gzip'),
    ask('br, gzip;q=0'),
    box.ask('itv/get_genres'),
  ])
  const told = (name: string) => [plain, small, refused, short].map(({ headers }) => headers.get(name))
  expect(told('content-encoding')).toEqual([null, 'gzip', null, null])
  expect(told('vary')).toEqual(['accept-encoding', 'accept-encoding', 'accept-encoding', null])
  expect(Number(small.headers.get('content-length'))).toBeLessThan(plain.text.length / 4)
  expect([small.text, refused.text]).toEqual([plain.text, plain.text])
  await give(PLAYLIST)
})

test('an answer that many boxes get is made once for all packages of the same groups, and again once the channels are others', async () => {
  const channels = channelsInMemory()
  const made: number[] = []
  const ask = (of: number) =>
    channels.prepared('channels', of, 'ffmpeg', ({ channels }) => {
      made.push(channels.length)
      return '{}'
    })
  for (const of of [1, ADULTS, 1, SAME, ADULTS]) await ask(of)
  expect(made).toEqual([23, 3])
  await give(playlistOf(5, 'Many'))
  for (const of of [1, 1]) await ask(of)
  expect(made).toEqual([23, 3, 5])
  await give(PLAYLIST)
})

test('the largest answers of four kinds are kept, and then that which was asked for longest ago is made anew', async () => {
  const channels = channelsInMemory()
  const made: string[] = []
  const ask = (word: string) =>
    channels.prepared('channels', 1, word, () => {
      made.push(word)
      return 'x'.repeat(40_000_000)
    })
  for (const word of ['a', 'b', 'c', 'd', 'a']) await ask(word)
  expect(made).toEqual(['a', 'b', 'c', 'd'])
  for (const word of ['e', 'a', 'c', 'd', 'e']) await ask(word)
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e'])
  await ask('b')
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'b'])
})

/** The channels, as a server that has just begun would read them. */
function channelsInMemory(): Channels {
  const { sql } = world.server
  return openChannels(sql, createSeal(SECRET_KEY), pino({ level: 'silent' }), () => world.clock.now)
}

test('the channels are loaded anew once a standby was promoted, which may give their revision again', async () => {
  const { sql, promote } = promotable(world.server.sql)
  const { ownerSql } = world.server
  const channels = openChannels(sql, createSeal(SECRET_KEY), pino({ level: 'silent' }), () => world.clock.now)
  const word = () => {
    world.clock.pass({ seconds: 5 })
    return channels.wordFor({ alt_player: false })
  }
  expect(await word()).toBe('ffmpeg')
  await ownerSql`update lineup set player = 'another'`
  expect(await word()).toBe('ffmpeg')
  promote()
  expect(await word()).toBe('another')
  await ownerSql`update lineup set player = 'ffmpeg'`
})

test('a box that polls stays in where the channels cannot be read', async () => {
  const broken = await openWorld()
  await givePlaylist(broken, PLAYLIST)
  await broken.server.ownerSql`update playlist set content = 'not sealed'`
  const { dealer } = await broken.family({ credits: 1 })
  const { mac } = await broken.client(dealer, { months: 1 })
  const box = new Box(broken.server, { mac })
  await box.signIn()
  expect([await box.events(), await box.events()]).toEqual(['', ''])
  await broken.close()
})

test('a box finds no channels before there is a playlist', async () => {
  const empty = await openWorld()
  const { dealer } = await empty.family({ credits: 1 })
  const { mac } = await empty.client(dealer, { months: 1 })
  const box = new Box(empty.server, { mac })
  await box.signIn()
  expect((await box.call('itv/get_all_channels')).data).toEqual([])
  expect((await box.call('itv/get_ordered_list', { genre: '10', p: '1' })).data).toEqual([])
  await empty.close()
})

// The last test: after this playlist, the short one of the others would be held back.
test('a box keeps 1,000 favourites at most', async () => {
  await give(playlistOf(1_001, 'News'))
  const { box } = await boxOf(ADULTS)
  const ids = (await box.call('itv/get_all_channels')).data.map(({ id }) => id)
  expect(ids).toHaveLength(1_001)
  await box.call('itv/set_fav', { fav_ch: ids.join(',') })
  expect(await box.call('itv/get_fav_ids')).toEqual(ids.slice(0, 1_000))
})
