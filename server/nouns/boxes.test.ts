import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calls, type InputOf } from '../../contract/calls.ts'
import { Box } from '../../test/support/box.ts'
import { holdOpen } from '../../test/support/hold.ts'
import { type Family, openWorld, type World } from '../../test/support/world.ts'
import { LOCKS } from '../postgres/locks.ts'
import { countBoxes } from './boxes.ts'

const { overview, models, unknown } = calls.boxes

let world: World
let family: Family
beforeEach(async () => {
  world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  family = await world.family({ credits: 40 })
})
afterEach(() => world.close())

/** Lets a box sign in, and its server store what it told. */
async function signIn(mac: string, told: Record<string, string> = {}): Promise<Box> {
  world.clock.pass({ seconds: 5 })
  const box = new Box(world.server, { mac, told, address: '203.0.113.7' })
  await box.signIn()
  await world.server.gateway.write()
  return box
}

function client(mac: string, login?: string) {
  return world.client(family.dealer, { months: 1, stb_mac: mac, ...(login && { login }) })
}

async function unknownMacs(input: InputOf<typeof unknown> = {}): Promise<string[]> {
  const { data } = await world.admin.call(unknown, input)
  return data.map(({ mac }) => mac)
}

describe('the boxes that the admin sees', () => {
  test('are none at first', async () => {
    expect(await world.admin.call(overview)).toEqual({
      ...{ known: 0, online: 0, refused: [] },
      counts: { at: [], online: [] },
    })
    expect((await world.admin.call(models)).data).toEqual([])
    expect((await world.admin.call(unknown)).data).toEqual([])
  })

  test('are online while they poll, and counted by their type and version', async () => {
    const macs = ['00:1A:79:00:00:01', '00:1A:79:00:00:02', '00:1A:79:00:00:03']
    for (const [at, mac] of macs.entries()) {
      await client(mac)
      await signIn(mac, at === 0 ? { stb_type: 'MAG322', ver: 'other' } : {})
    }
    const told = [
      { stb_type: 'MAG250', version: 'ImageDescription: 0.2.18-r23', boxes: 2, online: 2 },
      { stb_type: 'MAG322', version: 'other', boxes: 1, online: 1 },
    ]
    expect(await world.admin.call(overview)).toMatchObject({ known: 3, online: 3, refused: [] })
    expect(await world.admin.call(models)).toEqual({ data: told })
    world.clock.pass({ seconds: 300 })
    expect(await world.admin.call(overview)).toMatchObject({ known: 3, online: 0 })
    expect(await world.admin.call(models)).toEqual({ data: told.map((model) => ({ ...model, online: 0 })) })
  })

  /** Returns how many boxes the admin sees, and of how many the types and versions. */
  async function seen() {
    const { known, online } = await world.admin.call(overview)
    const { data } = await world.admin.call(models)
    return { known, online, typed: data.reduce((sum, { boxes }) => sum + boxes, 0) }
  }

  /** Makes a client whose box signs in. */
  async function another(mac: string, told?: Record<string, string>): Promise<void> {
    await client(mac)
    await signIn(mac, told)
  }

  test('are those of the last count, which is made anew for whoever looks only where it is late', async () => {
    const { sql } = world.server
    await another('00:1A:79:00:00:01')
    world.clock.set('2026-05-15T10:01:00.000Z')
    expect(await countBoxes(sql, world.clock.now)).toBe(1)
    await another('00:1A:79:00:00:02')
    expect(await seen()).toEqual({ known: 1, online: 1, typed: 1 })
    world.clock.set('2026-05-15T10:04:00.000Z')
    expect(await seen()).toEqual({ known: 2, online: 2, typed: 1 })
    world.clock.set('2026-05-15T10:20:00.000Z')
    expect(await seen()).toEqual({ known: 2, online: 0, typed: 2 })
    expect(await countBoxes(sql, world.clock.now)).toBe(0)
  })

  test('are counted by their types and versions once a minute, and where they are many once in five', async () => {
    const { sql } = world.server
    await another('00:1A:79:00:00:01', { stb_type: '', ver: '' })
    await another('00:1A:79:00:00:02')
    await another('00:1A:79:00:00:03')
    const counted = async (time: string, few?: number) => {
      world.clock.set(`2026-05-15T${time}Z`)
      await countBoxes(sql, world.clock.now, few)
      return (await world.admin.call(models)).data.map(({ stb_type, boxes }) => [stb_type, boxes])
    }
    const three = [
      ['MAG250', 2],
      ['', 1],
    ]
    expect(await counted('10:01:00.000')).toEqual(three)
    await another('00:1A:79:00:00:04')
    expect(await counted('10:02:00.000', 3)).toEqual(three)
    expect(await counted('10:03:00.000', 4)).toEqual([['MAG250', 3], three[1]])
    await another('00:1A:79:00:00:05')
    expect(await counted('10:04:59.999', 3)).toEqual([['MAG250', 3], three[1]])
    expect(await counted('10:05:00.000', 3)).toEqual([['MAG250', 4], three[1]])
  })

  test('are many if they are more than 50,000', async () => {
    const { sql, ownerSql } = world.server
    // Boxes of no client, which one statement can make.
    await ownerSql`alter table device drop constraint device_client_fk`
    await ownerSql`alter table device disable trigger user`
    const add = (from: number, to: number) =>
      ownerSql`insert into device (client) select 1000000 + generate_series(${from}::integer, ${to}::integer)`
    const counted = async (time: string) => {
      world.clock.set(`2026-05-15T${time}Z`)
      await countBoxes(sql, world.clock.now)
      return seen()
    }
    await add(1, 49_999)
    expect(await counted('10:01:00.000')).toEqual({ known: 49_999, online: 0, typed: 49_999 })
    await add(50_000, 50_000)
    expect(await counted('10:02:00.000')).toEqual({ known: 50_000, online: 0, typed: 50_000 })
    await add(50_001, 50_001)
    expect(await counted('10:03:00.000')).toEqual({ known: 50_001, online: 0, typed: 50_000 })
    expect(await counted('10:05:00.000')).toEqual({ known: 50_001, online: 0, typed: 50_001 })
  })

  test('are counted by one server of several, whatever a server of the version before counts', async () => {
    const { sql } = world.server
    await another('00:1A:79:00:00:01')
    world.clock.set('2026-05-15T10:01:00.000Z')
    const release = await holdOpen(
      world.server.ownerSql,
      (sql) => sql`select pg_advisory_xact_lock(${LOCKS.boxCount})`,
    )
    expect(await countBoxes(sql, world.clock.now)).toBe(null)
    await release()
    expect(await countBoxes(sql, world.clock.now)).toBe(1)
    expect(await countBoxes(sql, world.clock.now)).toBe(null)
    world.clock.set('2026-05-15T10:02:00.000Z')
    await sql`insert into box_count (at, online) values (${world.clock.now}, 7)`
    await another('00:1A:79:00:00:02')
    expect(await countBoxes(sql, world.clock.now)).toBe(null)
    expect(await seen()).toMatchObject({ known: 1, online: 1 })
  })

  test('leave out a count that a clock which was ahead has made', async () => {
    const { sql } = world.server
    const ahead = new Date(world.clock.now.getTime() + 3_600_000)
    expect(await countBoxes(sql, ahead)).toBe(0)
    await another('00:1A:79:00:00:01')
    await world.server.ownerSql`update box_count set online = 99, known = 99`
    await world.server.ownerSql`
      insert into box_model (stb_type, version, boxes, online, counted) values ('ahead', '', 99, 99, ${ahead})`
    expect(await seen()).toEqual({ known: 1, online: 1, typed: 1 })
    expect((await world.admin.call(overview)).counts.at).toEqual([])
    expect(await countBoxes(sql, world.clock.now)).toBe(1)
    expect(await seen()).toEqual({ known: 1, online: 1, typed: 1 })
  })

  test('that were refused last are counted by the reason for a day, until they are let in', async () => {
    const [off, expired, other] = ['00:1A:79:00:00:01', '00:1A:79:00:00:02', '00:1A:79:00:00:03']
    const { name } = await client(off)
    await family.dealer.call(calls.clients.save, { login: name, status: false })
    const { name: late } = await client(expired)
    await world.setExpiry(late, world.clock.now.toISOString())
    await client(other)
    await signIn(other, { sn: '12' })
    for (const mac of [off, expired]) await signIn(mac)
    await signIn(other, { sn: '34' })
    await signIn('00:1A:79:FF:00:01')
    const refused = async () => (await world.admin.call(overview)).refused
    expect(await refused()).toEqual([
      { reason: 'unknown', boxes: 1 },
      { reason: 'expired', boxes: 1 },
      { reason: 'other_box', boxes: 1 },
      { reason: 'switched_off', boxes: 1 },
    ])
    await family.dealer.call(calls.clients.save, { login: name, status: true })
    await signIn(off)
    await client('00:1A:79:FF:00:01')
    await signIn('00:1A:79:FF:00:02')
    expect((await refused()).map(({ reason }) => reason)).toEqual(['unknown', 'expired', 'other_box'])
    world.clock.pass({ days: 1 })
    expect(await refused()).toEqual([])
  })

  test('are charted over the last 24 hours by the first count of each five minutes', async () => {
    const { sql } = world.server
    const { now } = world.clock
    // The chart shows the first count of each five minutes, though it was not made in the first of them.
    for (const minutes of [1440, 1435, 4, 3]) {
      const at = new Date(now.getTime() - minutes * 60_000)
      await sql`insert into box_count (at, online) values (${at}, ${minutes})`
    }
    const { counts } = await world.admin.call(overview)
    expect(counts).toEqual({
      at: ['2026-05-14T10:05:00.000Z', '2026-05-15T09:56:00.000Z'],
      online: [1435, 4],
    })
  })
})

describe('unknown boxes', () => {
  test('are listed newest first, with what they told and how often they asked', async () => {
    const first = await signIn('00:1A:79:00:00:01', { stb_type: 'MAG322' })
    await first.signIn()
    await signIn('00:1A:79:00:00:02')
    const { data, count } = await world.admin.call(unknown)
    expect(count).toBe(2)
    expect(data[0]).toEqual({
      ...{ mac: '00:1A:79:00:00:02', stb_type: 'MAG250', version: 'ImageDescription: 0.2.18-r23' },
      ...{ address: '203.0.113.7', times: 1, similar: null },
      ...{ first_asked: '2026-05-15T10:00:10.000Z', asked: '2026-05-15T10:00:10.000Z' },
    })
    expect(data[1]).toMatchObject({ mac: '00:1A:79:00:00:01', stb_type: 'MAG322', times: 2 })
  })

  test('are searched, sorted and paged, and a page past the end says how many there are', async () => {
    for (const mac of ['00:1A:79:00:00:0A', '00:1A:79:00:00:0B', '00:1A:79:00:00:0C']) await signIn(mac)
    expect(await unknownMacs({ search: ' 0:0b' })).toEqual(['00:1A:79:00:00:0B'])
    expect(await unknownMacs({ search: '001a7900000b' })).toEqual(['00:1A:79:00:00:0B'])
    expect(await unknownMacs({ search: 'mag2%' })).toEqual([])
    expect(await unknownMacs({ search: '203.0.113' })).toHaveLength(3)
    expect(await unknownMacs({ sort: 'mac', order: 'asc', per_page: 2 })).toEqual([
      '00:1A:79:00:00:0A',
      '00:1A:79:00:00:0B',
    ])
    expect(await world.admin.call(unknown, { page: 3, per_page: 2 })).toEqual({
      ...{ data: [], count: 3, current_page: 3, per_page: 2, total_pages: 2 },
    })
  })

  test('leave the list once a client has their MAC or they have signed in by login, and after 7 days', async () => {
    const [bought, byLogin] = ['00:1A:79:00:00:01', '00:1A:79:00:00:02']
    await signIn(bought)
    const box = await signIn(byLogin)
    await signIn('00:1A:79:00:00:03')
    await client(bought)
    const { name } = await world.client(family.dealer, { months: 1, ministra: true, password: 'password' })
    expect(await box.logIn(name, 'password')).toBe(0)
    expect(await unknownMacs()).toEqual(['00:1A:79:00:00:03'])
    world.clock.pass({ days: 7 })
    expect(await unknownMacs()).toEqual([])
  })

  test('are the newest 10,000, however many asked since the last clean-up', async () => {
    await world.server.sql`
      insert into unknown_box (mac, first_asked, asked, stb_type, version)
      select '00:1A:79:0' || substr(n::text, 2), at, at, '', '' from generate_series(100001, 110005) n,
        lateral (select ${world.clock.now}::timestamptz - n * interval '1 millisecond') moment (at)`
    const { count, total_pages } = await world.admin.call(unknown, { page: 201, per_page: 50 })
    expect([count, total_pages]).toEqual([10_000, 200])
  })

  test('name the client whose MAC differs by one or two digits, and no other', async () => {
    await client('00:1A:79:AB:CD:EF', 'the-client')
    const similarTo = async (mac: string) => {
      await signIn(mac)
      const { data } = await world.admin.call(unknown, { search: mac })
      return data[0]?.similar
    }
    const is = (digits: number) => ({
      ...{ name: 'the-client', mac: '00:1A:79:AB:CD:EF', dealer: family.dealer.name, digits },
    })
    expect(await similarTo('00:1A:79:AB:CD:E0')).toEqual(is(1))
    expect(await similarTo('00:1A:79:BA:CD:EF')).toEqual(is(2))
    expect(await similarTo('00:1A:79:0B:CD:E0')).toEqual(is(2))
    expect(await similarTo('00:1A:78:AB:CD:E0')).toEqual(is(2))
    expect(await similarTo('00:1A:79:00:CD:E0')).toBeNull()
    expect(await similarTo('00:1A:88:AB:CD:E0')).toBeNull()
  })

  test("are told to the dealer of the client whose MAC is nearly theirs, until the client's own box asks", async () => {
    const { name } = await client('00:1A:79:AB:CD:EF')
    const near = async () => (await family.dealer.call(calls.clients.detail, { name })).near_box
    // Neither a MAC that no client can have, nor one with three other digits.
    for (const mac of ['00:1A:78:AB:CD:EF', '00:1A:79:00:0D:EF']) await signIn(mac)
    expect(await near()).toBeNull()
    await signIn('00:1A:79:BA:CD:EF')
    expect(await near()).toMatchObject({ mac: '00:1A:79:BA:CD:EF', digits: 2 })
    await signIn('00:1A:79:AB:CD:E0')
    const asked = world.clock.now.toISOString()
    expect(await near()).toEqual({ mac: '00:1A:79:AB:CD:E0', asked, digits: 1 })
    await signIn('00:1A:79:AB:CD:EF')
    expect(await near()).toBeNull()
  })

  test('are told to no dealer of a client whose own box has asked, also after a reset', async () => {
    const { name } = await client('00:1A:79:AB:CD:EF')
    const near = async () => (await family.dealer.call(calls.clients.detail, { name })).near_box
    await signIn('00:1A:79:AB:CD:EF')
    await signIn('00:1A:79:AB:CD:E0')
    await family.dealer.call(calls.clients.reset, { name })
    expect(await near()).toBeNull()
    // With another MAC it is that one's turn.
    await family.dealer.call(calls.clients.save, {
      login: name,
      stb_mac: '00:1A:79:AB:CD:E1',
      o_mac: '00:1A:79:AB:CD:EF',
    })
    expect(await near()).toMatchObject({ digits: 1 })
  })

  test('are told to no dealer once somebody has them, nor of a client without a MAC, nor after a week', async () => {
    const { name } = await client('00:1A:79:AB:CD:EF')
    const near = async () => (await family.dealer.call(calls.clients.detail, { name })).near_box
    const { dealer: stranger } = await world.family({ credits: 1 })
    await signIn('00:1A:79:AB:CD:E0')
    expect(await near()).toMatchObject({ digits: 1 })
    const { name: ministra } = await world.client(family.dealer, { months: 1, ministra: true })
    expect(await family.dealer.call(calls.clients.detail, { name: ministra })).toMatchObject({
      near_box: null,
    })
    await world.client(stranger, { months: 1, stb_mac: '00:1A:79:AB:CD:E0', login: 'the-other' })
    expect(await near()).toBeNull()
    await world.admin.call(calls.admin.remove, { name: 'the-other' })
    expect(await near()).toMatchObject({ mac: '00:1A:79:AB:CD:E0' })
    world.clock.pass({ days: 7 })
    expect(await near()).toBeNull()
  })

  test('name before others a client whose own box has never signed in, and never one that is deleted', async () => {
    await client('00:1A:79:00:00:01', 'with-box')
    await signIn('00:1A:79:00:00:01')
    await client('00:1A:79:00:00:22', 'without-box')
    await signIn('00:1A:79:00:00:02')
    const name = async () => (await world.admin.call(unknown)).data[0]?.similar?.name
    expect(await name()).toBe('without-box')
    await world.admin.call(calls.admin.remove, { name: 'without-box' })
    expect(await name()).toBe('with-box')
  })
})
