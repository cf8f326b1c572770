import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { A_PLAYLIST, compressed, letHold, playlistOf, servePlaylist } from '../../../test/support/playlist.ts'
import { SECRET_KEY } from '../../../test/support/server.ts'
import { openWorld, type World } from '../../../test/support/world.ts'
import { channelsIn } from '../../access/playlist-content.ts'
import { rotateKey } from '../../access/reseal.ts'
import { createSeal, OF_PLAYLIST } from '../../access/seal.ts'
import { cleanUp } from '../../jobs/clean-up.ts'
import { refreshPlaylist } from './refresh.ts'

const { all, giveAddress, giveFile, fetch: fetchNow, takeHeld } = calls.channels
const { assign, saveGroup, savePlayers } = calls.channels

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const seal = createSeal(SECRET_KEY)

function give(playlist: string | Uint8Array, name = 'channels.m3u') {
  return world.admin.call(giveFile, { name, file: compressed(playlist) })
}

function refresh(signal = new AbortController().signal) {
  const { sql, config } = world.server
  return refreshPlaylist({ sql, seal, playlist: config.playlist, now: world.clock.now, signal })
}

async function ids(): Promise<Record<string, number>> {
  const rows = await world.server.sql<{ id: number; key: string }[]>`select id, key from channel`
  return Object.fromEntries(rows.map(({ id, key }) => [key, id]))
}

/** Returns the ids of the groups News and Sports. */
async function groupIds(): Promise<[number, number]> {
  const [news, sports] = (await world.admin.call(all)).groups
  if (!news || !sports) throw new Error('the groups are missing')
  return [news.id, sports.id]
}

/** No package with no group. */
const NONE = { packages: [], groups: [] }

async function revision(): Promise<number> {
  const [row] = await world.server.sql<{ revision: number }[]>`select revision from lineup`
  return row?.revision ?? 0
}

/** Returns the keys of the channels in use. */
async function keysInUse(): Promise<string[]> {
  const [row] = await world.server.sql<{ content: Buffer }[]>`select content from playlist`
  return (await channelsIn(seal, row?.content ?? Buffer.alloc(0))).map(({ key }) => key)
}

describe('a playlist', () => {
  test('of a file is taken with its groups, which all packages hold', async () => {
    expect(await give(A_PLAYLIST)).toEqual({ status: 'OK', channels: 3, skipped: 0, held: null })
    const { playlist, groups } = await world.admin.call(all)
    expect(playlist).toMatchObject({
      kind: 'file',
      shown: 'channels.m3u',
      channels: 3,
      next: null,
      held: null,
    })
    expect(groups).toEqual([
      expect.objectContaining({ name: 'News', channels: 2, unprotected: 1, adult: false, packages: [1, 7] }),
      expect.objectContaining({ name: 'Sports', channels: 1, unprotected: 0 }),
    ])
  })

  test('of an address is read again when it is due, by one server of several', async () => {
    const served = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address: served.address })
    expect(await refresh()).toBe(null)
    world.clock.pass({ minutes: 60 })
    served.serve(playlistOf(5))
    const both = await Promise.all([refresh(), refresh()])
    expect(both.filter(Boolean)).toEqual([{ channels: 5, skipped: 0, held: null }])
    expect(served.asked()).toBe(2)
    expect((await world.admin.call(all)).playlist).toMatchObject({
      channels: 5,
      next: new Date(world.clock.now.getTime() + 3_600_000).toISOString(),
    })
  })

  test('of an address is read again when it is due, though the clock was a month ahead at the last reading', async () => {
    const served = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address: served.address })
    world.clock.pass({ days: 30 })
    expect(await refresh()).not.toBe(null)
    world.clock.pass({ days: -30 })
    expect(await refresh()).not.toBe(null)
    expect(await refresh()).toBe(null)
  })

  test('keeps its address and channels sealed, and out of answers, the audit and the log', async () => {
    const { address } = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address })
    expect((await world.admin.call(all)).playlist?.shown).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/…$/)
    const stored = [...(await world.stored()).values(), ...world.server.logged].join('\n')
    expect(stored).not.toContain('hidden-word')
    expect(stored).not.toContain('streams.example')
  })

  test('can be read after the key was replaced', async () => {
    const { address } = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address })
    const other = createSeal(Buffer.alloc(32, 'other'))
    await world.admin.call(giveAddress, { address })
    await rotateKey(world.server.ownerSql, seal, other)
    const [row] = await world.server.sql<{ address: Buffer; content: Buffer }[]>`
      select address, content from playlist`
    expect(other.open(row?.address ?? Buffer.alloc(0), OF_PLAYLIST.address)).toBe(address)
    expect(other.open(row?.content ?? Buffer.alloc(0), OF_PLAYLIST.channels)).not.toBe('')
  })

  test.each([
    ['empty', '#EXTM3U\n'],
    ['empty', '<html>Not found</html>'],
    ['broken', `${playlistOf(20)}${'#EXTINF:-1,Gone\nno address\n'.repeat(21)}`],
    ['broken', `${playlistOf(20)}${'#EXTINF:-1,Without an address\n'.repeat(21)}`],
    ['shrunk', playlistOf(2)],
  ])(
    'that is %s is held back while the last good one stays in use, until the admin takes it',
    async (why, text) => {
      await give(playlistOf(20))
      expect(await give(text, 'next.m3u')).toMatchObject({ held: why })
      const { playlist, groups } = await world.admin.call(all)
      expect(playlist).toMatchObject({ shown: 'next.m3u', channels: 20, held: { why } })
      expect(groups).toMatchObject([{ channels: 20 }])
      const { at = '', channels = -1 } = playlist?.held ?? {}
      await world.admin.refused('changed_since', takeHeld, { at: new Date(0).toISOString() })
      await world.admin.call(takeHeld, { at })
      expect((await world.admin.call(all)).playlist).toMatchObject({ channels, held: null })
      await world.admin.refused('changed_since', takeHeld, { at })
    },
  )

  test.each([
    ['has no channels', '. Is it an M3U playlist?', '#EXTM3U'],
    ['has 20 channels, and 21 broken ones', '.', `${playlistOf(20)}${'#EXTINF:-1,Gone\n'.repeat(21)}`],
    ['has 2 channels, where 20 are in use', '.', playlistOf(2)],
  ])(
    'that %s does not replace the address of the one in use before the admin insists',
    async (fault, end, text) => {
      const served = await servePlaylist(playlistOf(20))
      await world.admin.call(giveAddress, { address: served.address })
      const before = await world.admin.call(all)
      const other = await servePlaylist(text)
      const file = { name: 'next.m3u', file: compressed(text) }
      const refusal = await world.admin.refused('invalid_input', giveAddress, { address: other.address })
      expect(refusal.errors).toEqual({ anyway: `Nothing was changed, because this playlist ${fault}${end}` })
      await world.admin.refused('invalid_input', giveFile, file)
      expect(await world.admin.call(all)).toEqual(before)
      served.serve(playlistOf(22))
      world.clock.pass({ minutes: 61 })
      expect(await refresh()).toMatchObject({ channels: 22, held: null })
      const channels = text.split('http:').length - 1
      const revised = await revision()
      expect(await world.admin.call(giveFile, { ...file, anyway: true })).toMatchObject({
        channels,
        held: null,
      })
      expect(await revision()).toBe(revised + 1)
      expect((await world.admin.call(all)).playlist).toMatchObject({
        shown: 'next.m3u',
        channels,
        held: null,
      })
      expect(await refresh()).toBe(null)
    },
  )

  test('is held back where it replaces the address of none in use, or is read at the same address', async () => {
    const served = await servePlaylist('#EXTM3U')
    const other = await servePlaylist('#EXTM3U')
    for (const { address } of [served, other, served])
      expect(await world.admin.call(giveAddress, { address })).toMatchObject({ held: 'empty' })
    served.serve(playlistOf(20))
    await world.admin.call(fetchNow)
    served.serve(playlistOf(1))
    // It may be copied with a space after it, or between marks that nobody sees.
    for (const address of [served.address, `${served.address} `, `\u200e${served.address}\u200e`])
      expect(await world.admin.call(giveAddress, { address })).toMatchObject({ held: 'shrunk' })
    other.serve(playlistOf(2))
    const { address } = other
    expect(await world.admin.call(giveAddress, { address, anyway: true })).toMatchObject({ held: null })
    world.clock.pass({ minutes: 61 })
    other.serve(playlistOf(3))
    expect(await refresh()).toMatchObject({ channels: 3 })
  })

  test('that is broken is taken again without a question, once the admin has taken it', async () => {
    const broken = `${playlistOf(20)}${'#EXTINF:-1,Gone\nno address\n'.repeat(21)}`
    await give(playlistOf(20))
    await give(broken)
    const at = (await world.admin.call(all)).playlist?.held?.at ?? ''
    await world.admin.call(takeHeld, { at })
    expect(await give(`${broken}${playlistOf(1)}`)).toMatchObject({ held: null })
  })

  test('that is read again unchanged makes no gateway load it anew, and is said to have been read', async () => {
    const served = await servePlaylist(playlistOf(20))
    await world.admin.call(giveAddress, { address: served.address })
    const { playlist } = await world.admin.call(all)
    const before = await revision()
    const answers = [
      playlistOf(20),
      '#EXTM3U',
      `${playlistOf(20)}#EXTINF:-1,Without an address`,
      playlistOf(20),
    ]
    for (const answer of answers) {
      served.serve(answer)
      world.clock.pass({ minutes: 61 })
      await refresh()
      expect((await world.admin.call(all)).playlist).toMatchObject({
        tried: world.clock.now.toISOString(),
        taken: playlist?.taken,
        channels: 20,
        skipped: answer.includes('Without') ? 1 : 0,
        held: answer === '#EXTM3U' ? { why: 'empty' } : null,
      })
    }
    expect(await revision()).toBe(before)
    // They count as seen, so that none loses its id soon after it leaves the playlist.
    const [seen] = await world.server.sql<{ first: string }[]>`select min(seen) as first from channel`
    expect(seen?.first).toBe(world.clock.now.toISOString())
    served.serve(playlistOf(21))
    world.clock.pass({ minutes: 61 })
    await refresh()
    expect(await revision()).toBe(before + 1)
  })

  test('that is read again unchanged is loaded anew where a channel has another id', async () => {
    const served = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address: served.address })
    const before = await revision()
    await world.server.ownerSql`delete from channel where key = 'id one.pt'`
    world.clock.pass({ minutes: 61 })
    await refresh()
    expect(await revision()).toBe(before + 1)
  })

  test('that a server was reading while it was stopped is read by another one at once', async () => {
    const stopping = new AbortController()
    const served = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address: served.address })
    served.serve(() => stopping.abort(new Error('stopping')))
    world.clock.pass({ minutes: 61 })
    await expect(refresh(stopping.signal)).rejects.toThrow()
    served.serve(playlistOf(5))
    expect(await refresh()).toMatchObject({ channels: 5 })
  })

  test('that a server began to read and never kept, as it was killed or lost the database, is due again after five minutes', async () => {
    const served = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address: served.address })
    served.serve(playlistOf(5))
    world.clock.pass({ minutes: 61 })
    const { ownerSql } = world.server
    await ownerSql.unsafe(`
      create function lose() returns trigger language plpgsql as
        $$ begin raise exception 'lost' using errcode = 'admin_shutdown'; end $$;
      create trigger lose before update on lineup for each row execute function lose()`)
    await expect(refresh()).rejects.toThrow('lost')
    await ownerSql`drop function lose cascade`
    // It might still be reading.
    world.clock.pass({ minutes: 4 })
    expect(await refresh()).toBeNull()
    world.clock.pass({ minutes: 1 })
    expect(await refresh()).toMatchObject({ channels: 5 })
    const tried = world.clock.now.toISOString()
    expect((await world.admin.call(all)).playlist).toMatchObject({ channels: 5, tried })
  })

  test('whose address breaks off is refused, and the log has the cause', async () => {
    const served = await servePlaylist((_, response) => response.destroy())
    const before = world.server.logged.length
    const { message } = await world.admin.refused('invalid_input', giveAddress, { address: served.address })
    expect(message).toBe('The address cannot be reached.')
    const lines = world.server.logged.slice(before).map((line) => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: 'a call was refused because of an error',
        err: expect.objectContaining({ code: 'ECONNRESET' }),
      }),
    )
  })

  test('whose address answers what is not HTTP is refused, and the log has nothing of what it answered', async () => {
    const served = await servePlaylist((_, { socket }) => {
      socket?.end('ICY 200 OK\r\n\r\nhttp://s.example/get.php?password=hush')
    })
    const before = world.server.logged.length
    await world.admin.refused('invalid_input', giveAddress, { address: served.address })
    const lines = world.server.logged.slice(before).join('')
    expect(lines).toContain('HPE_')
    for (const secret of ['rawPacket', 'hush', [...Buffer.from('hush')].join()])
      expect(lines).not.toContain(secret)
  })

  test('that cannot be read any more is reported with the reason, and the last good one stays in use', async () => {
    const served = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address: served.address })
    served.serve((_, response) => response.writeHead(404).end())
    world.clock.pass({ minutes: 61 })
    const failure = 'The address answered with the status 404.'
    expect(await refresh()).toEqual({ failure })
    expect((await world.admin.call(all)).playlist).toMatchObject({ failure, channels: 3 })
    const refusal = await world.admin.refused('invalid_input', fetchNow)
    expect(refusal.message).toBe(failure)
    served.serve(playlistOf(4))
    await world.admin.call(fetchNow)
    expect((await world.admin.call(all)).playlist).toMatchObject({ failure: null, channels: 4 })
  })

  test('whose first answer was lost is told again under its key, though its address answers no more', async () => {
    const served = await servePlaylist(A_PLAYLIST)
    const given = { address: served.address }
    const first = await world.admin.send(giveAddress, given, { key: 'given' })
    const again = await world.admin.send(fetchNow, {}, { key: 'read' })
    served.serve((_request, response) => response.writeHead(403).end())
    expect(await world.admin.send(giveAddress, given, { key: 'given' })).toMatchObject({
      status: 200,
      body: first.body,
    })
    await give(A_PLAYLIST)
    expect(await world.admin.send(fetchNow, {}, { key: 'read' })).toMatchObject({
      status: 200,
      body: again.body,
    })
    await world.admin.refused('invalid_input', giveAddress, given, { key: 'another' })
  })

  test('that the admin replaces while it is being read is not taken', async () => {
    let answer = () => {}
    const arrived = Promise.withResolvers<void>()
    const served = await servePlaylist(A_PLAYLIST)
    await world.admin.call(giveAddress, { address: served.address })
    served.serve((_, response) => {
      answer = () => response.end(playlistOf(9))
      arrived.resolve()
    })
    world.clock.pass({ minutes: 61 })
    const refreshing = refresh()
    await arrived.promise
    await give(playlistOf(2), 'own.m3u')
    answer()
    expect(await refreshing).toBe(null)
    expect((await world.admin.call(all)).playlist).toMatchObject({ shown: 'own.m3u', channels: 2 })
  })

  test.each([
    ['is older than', (response: ServerResponse) => response.end(playlistOf(9))],
    ['fails beside', (response: ServerResponse) => response.destroy()],
  ])(
    'whose reading %s one that the admin asked for meanwhile stays as that one left it',
    async (_what, answered) => {
      const arrived = Promise.withResolvers<ServerResponse>()
      const served = await servePlaylist(A_PLAYLIST)
      await world.admin.call(giveAddress, { address: served.address })
      served.serve((_, response) => arrived.resolve(response))
      world.clock.pass({ minutes: 61 })
      const refreshing = refresh()
      const held = await arrived.promise
      served.serve(playlistOf(4))
      world.clock.pass({ seconds: 1 })
      await world.admin.call(fetchNow)
      answered(held)
      expect(await refreshing).toBe(null)
      const { playlist } = await world.admin.call(all)
      expect(playlist).toMatchObject({ failure: null, channels: 4, tried: world.clock.now.toISOString() })
    },
  )

  test('leaves every channel its id, also after a time without it', async () => {
    await give(A_PLAYLIST)
    const before = await ids()
    await give(playlistOf(1))
    await give(`${A_PLAYLIST}${playlistOf(3)}`)
    expect(await ids()).toMatchObject(before)
    const [row] = await world.server.sql`select max(id) as newest, count(*)::int as count from channel`
    expect(row?.newest).toBe(row?.count)
  })

  test('leaves every channel its id where several have one tvg-id, however it is read', async () => {
    const entries = (...names: string[]) =>
      names.map((name) => `#EXTINF:-1 tvg-id="one.pt",${name}\nhttp://streams.example/${name}`).join('\n')
    const served = await servePlaylist(entries('SD'))
    await world.admin.call(giveAddress, { address: served.address })
    const known = { 'id one.pt': 1, 'id one.pt\nname HD\nOther': 2 }
    served.serve(entries('HD', 'SD'))
    world.clock.pass({ minutes: 61 })
    expect(await refresh()).toMatchObject({ channels: 2 })
    expect(await ids()).toEqual(known)
    served.serve(entries('SD', 'HD'))
    await world.admin.call(fetchNow)
    expect(await ids()).toEqual(known)
    served.serve(entries('HD', 'UHD', 'SD'))
    await world.admin.call(giveAddress, { address: served.address })
    expect(await ids()).toEqual({ ...known, 'id one.pt\nname UHD\nOther': 3 })
    await give(entries('HD'))
    expect(await keysInUse()).toEqual(['id one.pt\nname HD\nOther'])
  })

  test('that cannot be opened any more is replaced like any other', async () => {
    await give(A_PLAYLIST)
    await world.server.ownerSql`update playlist set content = 'not sealed'`
    expect(await give(playlistOf(2))).toMatchObject({ channels: 2, held: null })
  })

  test('that is held back costs no channel its id: none in use, and none of its own once it is taken', async () => {
    const clean = () => cleanUp(world.server.sql, { now: world.clock.now, keepDays: 30 })
    await give(playlistOf(2, 'Old'))
    world.clock.pass({ days: 100 })
    await give(playlistOf(20))
    const before = await ids()
    world.clock.pass({ days: 100 })
    for (const held of [playlistOf(1, 'New'), playlistOf(2, 'Old')]) {
      expect(await give(held)).toMatchObject({ held: 'shrunk' })
    }
    await clean()
    expect(await ids()).toMatchObject(before)
    const { at = '' } = (await world.admin.call(all)).playlist?.held ?? {}
    await world.admin.call(takeHeld, { at })
    await clean()
    expect(await ids()).toMatchObject(before)
  })

  test('that is held back adds no ids until it is taken', async () => {
    await give(playlistOf(20))
    const before = await ids()
    for (const name of ['One', 'Two', 'Three']) await give(playlistOf(2, name))
    expect(await ids()).toEqual(before)
    const { at = '' } = (await world.admin.call(all)).playlist?.held ?? {}
    await world.admin.call(takeHeld, { at })
    expect(Object.keys(await ids())).toEqual([...Object.keys(before), 'id Three-0', 'id Three-1'])
  })

  test('with ever new channels and groups leaves 300,000 ids, those seen last, and 20,000 groups', async () => {
    await give(A_PLAYLIST)
    const { sql, ownerSql } = world.server
    const [news] = (await world.admin.call(all)).groups
    await letHold(world, 3, ['News'])
    const old = new Date(world.clock.now.getTime() - 60_000)
    await sql`insert into channel (key, seen) select 'old ' || n, ${old} from generate_series(1, 299997) n`
    await ownerSql`
      insert into channel_group (name, adult, packages, place, channels, unprotected)
      select 'old ' || n, false, '{1,7}', n, 0, 0 from generate_series(1, 20000) n`
    const count = async () =>
      (
        await sql`select (select count(*)::int from channel) as channels,
        (select count(*)::int from channel_group) as groups`
      )[0]
    const before = await ids()
    expect(await count()).toEqual({ channels: 300_000, groups: 20_002 })
    await give(playlistOf(3, 'New'))
    expect(await count()).toEqual({ channels: 6, groups: 20_001 })
    const { 'id one.pt': one, 'id two.pt': two } = before
    expect(await ids()).toMatchObject({ 'id one.pt': one, 'id two.pt': two, 'id New-0': expect.any(Number) })
    await give(A_PLAYLIST)
    // What was chosen of a group is not forgotten for others that come and go.
    expect((await world.admin.call(all)).groups).toMatchObject([
      { id: news?.id, packages: [1, 3, 7] },
      { packages: [1, 7] },
    ])
  })

  test('with a file that is none, or unpacks to more than 64 MB, is refused', async () => {
    const bomb = compressed(Buffer.alloc(65 * 1024 * 1024, '#'))
    for (const file of ['not base64!', compressed('x').slice(0, 12), bomb])
      await world.admin.refused('invalid_input', giveFile, { name: 'x', file })
    expect((await world.admin.call(all)).playlist).toBe(null)
  })
})

describe('a group', () => {
  test('is marked as for adults by its name, until the admin says otherwise', async () => {
    await give(`${playlistOf(1, 'Adults 18+')}${playlistOf(1, 'Adulthood')}`)
    const [adult, other] = (await world.admin.call(all)).groups
    expect([adult?.adult, other?.adult]).toEqual([true, false])
    await world.admin.call(saveGroup, { group: adult?.id ?? 0, adult: false })
    await give(playlistOf(2, 'Adults 18+'))
    expect((await world.admin.call(all)).groups).toMatchObject([{ adult: false, channels: 2 }])
    await world.admin.refused('not_found', saveGroup, { group: 999, adult: true })
  })

  test('is held by the packages that the admin chooses, and keeps them while the playlist is without it', async () => {
    await give(A_PLAYLIST)
    await letHold(world, 3, ['Sports'])
    await give(playlistOf(3))
    await letHold(world, 3, ['News'])
    await letHold(world, 1, [])
    await give(A_PLAYLIST)
    expect((await world.admin.call(all)).groups).toMatchObject([
      { name: 'News', packages: [3, 7] },
      { name: 'Sports', packages: [1, 3, 7] },
    ])
  })

  test('tells a dealer how many channels the package of a client has, without those for adults where it leaves them out', async () => {
    const { dealer } = await world.family({ credits: 9 })
    const channelsOf = async (package_selection: number) => {
      const { name } = await world.client(dealer, { months: 1, package_selection })
      return (await dealer.call(calls.clients.detail, { name })).channels
    }
    expect(await channelsOf(1)).toBe(null)
    await give(A_PLAYLIST)
    const [, sports] = await groupIds()
    await world.admin.call(saveGroup, { group: sports, adult: true })
    await letHold(world, 3, ['News'])
    expect([await channelsOf(1), await channelsOf(3), await channelsOf(4), await channelsOf(7)]).toEqual([
      3, 2, 0, 2,
    ])
  })

  test('stays for adults, and out of the packages, where a character of the playlist is broken', async () => {
    const whole = playlistOf(1_000, 'Após a meia-noite')
    await give(whole)
    const [group] = (await world.admin.call(all)).groups
    await world.admin.call(saveGroup, { group: group?.id ?? 0, adult: true })
    await letHold(world, 7, [])
    const before = await ids()
    const cut = Buffer.concat([Buffer.from(`${whole}#EXTINF:-1,Caf`), Buffer.of(0xc3)])
    await give(Buffer.concat([cut, Buffer.from('\nhttp://streams.example/cut\n')]))
    expect((await world.admin.call(all)).groups).toMatchObject([
      { id: group?.id, adult: true, packages: [1], channels: 1_000 },
      { name: 'Other', channels: 1 },
    ])
    expect(await ids()).toEqual({ ...before, 'name Caf\uFFFD\nOther': expect.any(Number) })
  })

  test('for adults stays out of the packages without them, and an assigned one assigned, behind 2,000 others', async () => {
    const others = Array.from({ length: 2_000 }, (_, at) => playlistOf(1, `G${at}`)).join('')
    await give([playlistOf(1, 'Chosen'), playlistOf(2, 'After midnight')].join(''))
    const [, late] = (await world.admin.call(all)).groups
    await world.admin.call(saveGroup, { group: late?.id ?? 0, adult: true })
    await letHold(world, 3, ['Chosen'])
    await give(
      [others, playlistOf(3, 'Adults only'), playlistOf(1, 'Chosen'), playlistOf(2, 'After midnight')].join(
        '',
      ),
    )
    expect((await world.admin.call(all)).groups.slice(-4)).toMatchObject([
      { name: 'Other', adult: false, packages: [1, 7], channels: 4 },
      { name: 'Other, adults', adult: true, packages: [1, 7], channels: 3 },
      { name: 'Chosen', adult: false, packages: [1, 3, 7], channels: 1 },
      { name: 'After midnight', adult: true, packages: [1, 7], channels: 2 },
    ])
  })

  test('is given to some packages and taken from others at once, and those that nobody changed stay', async () => {
    await give(A_PLAYLIST)
    const [news, sports] = await groupIds()
    await world.admin.call(assign, { give: { packages: [3, 5, 7], groups: [news] }, take: NONE })
    // Another admin, who saw it before.
    const take = { packages: [1, 4], groups: [news] }
    await world.admin.call(assign, { give: { packages: [2], groups: [news] }, take })
    expect((await world.admin.call(all)).groups).toMatchObject([
      { name: 'News', packages: [2, 3, 5, 7] },
      { name: 'Sports', packages: [1, 7] },
    ])
    await world.admin.call(assign, { give: { packages: [40], groups: [news, sports] }, take: NONE })
    expect((await world.admin.call(all)).groups).toMatchObject([
      { name: 'News', packages: [2, 3, 5, 7, 40] },
      { name: 'Sports', packages: [1, 7, 40] },
    ])
  })

  test('that the playlist lost while somebody chose its packages has them when it comes back', async () => {
    await give(A_PLAYLIST)
    const [, sports] = await groupIds()
    await give(playlistOf(3))
    const take = { packages: [7], groups: [sports] }
    await world.admin.call(assign, { give: { packages: [3], groups: [sports] }, take })
    await give(A_PLAYLIST)
    expect((await world.admin.call(all)).groups).toMatchObject([
      { name: 'News', packages: [1, 7] },
      { name: 'Sports', packages: [1, 3] },
    ])
  })

  test('that is not known, or a package that is none, is refused, and nothing is changed', async () => {
    await give(A_PLAYLIST)
    const [news] = await groupIds()
    for (const groups of [[999], [news, 999]]) {
      await world.admin.refused('not_found', assign, { give: { packages: [3], groups }, take: NONE })
      await world.admin.refused('not_found', assign, { give: NONE, take: { packages: [1], groups } })
    }
    const none = { packages: [8], groups: [news] }
    await world.admin.refused('invalid_input', assign, { give: none, take: NONE })
    expect((await world.admin.call(all)).groups).toMatchObject([{ packages: [1, 7] }, { packages: [1, 7] }])
  })
})

test('the players are stored, and each is one word', async () => {
  expect((await world.admin.call(all)).players).toEqual({ player: 'ffmpeg', alt_player: 'ffrt' })
  await world.admin.call(savePlayers, { player: 'auto', alt_player: 'ffrt2' })
  expect((await world.admin.call(all)).players).toEqual({ player: 'auto', alt_player: 'ffrt2' })
  await world.admin.refused('invalid_input', savePlayers, { player: 'ff mpeg', alt_player: 'x' })
})

test('a player that is not sent stays as it is: of two admins neither undoes what the other did', async () => {
  await world.admin.call(savePlayers, { player: 'auto' })
  await world.admin.call(savePlayers, { alt_player: 'ffrt2' })
  expect((await world.admin.call(all)).players).toEqual({ player: 'auto', alt_player: 'ffrt2' })
  await world.admin.refused('invalid_input', savePlayers, {})
})

test('every change of what boxes can watch raises the revision, and nothing else does', async () => {
  await give(A_PLAYLIST)
  const [group] = (await world.admin.call(all)).groups
  const changes = [
    () => give(playlistOf(3)),
    () => world.admin.call(saveGroup, { group: group?.id ?? 0, adult: true }),
    () => letHold(world, 3, ['News']),
    () => world.admin.call(savePlayers, { player: 'ffmpeg', alt_player: 'auto' }),
  ]
  for (const change of changes) {
    const before = await revision()
    await change()
    expect(await revision()).toBe(before + 1)
  }
  const before = await revision()
  await world.admin.call(savePlayers, { player: 'ffmpeg', alt_player: 'auto' })
  await letHold(world, 3, ['News'])
  expect(await give('#EXTM3U')).toMatchObject({ held: 'empty' })
  expect(await revision()).toBe(before)
})
