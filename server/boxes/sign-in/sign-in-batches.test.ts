import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { Box } from '../../../test/support/box.ts'
import { holdOpen, somebodyWaits, waitersOf } from '../../../test/support/hold.ts'
import { openWorld, type Person, type World } from '../../../test/support/world.ts'

let world: World
let dealer: Person
beforeAll(async () => {
  world = await openWorld()
  dealer = (await world.family({ credits: 200 })).dealer
})
afterAll(() => world.close())

/** Boxes that have a token, and sign in next. */
async function ready(count: number, told: Record<string, string> = {}) {
  const boxes: { name: string; box: Box }[] = []
  while (boxes.length < count) {
    const { name, mac } = await world.client(dealer, { months: 1 })
    const box = new Box(world.server, { mac, told: { sn: `SN-${boxes.length}`, ...told } })
    await box.handshake()
    boxes.push({ name, box })
  }
  return boxes
}

/** In how many transactions the devices of these clients were stored. */
async function transactions(names: readonly string[]): Promise<number> {
  const [row] = await world.server.sql<{ count: number }[]>`
    select count(distinct d.xmin::text)::int as count from device d join client c on c.id = d.client
    where c.name = any (${[...names]}::text[])`
  return row?.count ?? 0
}

describe('boxes that sign in at once', () => {
  test('are all in, each with what it said of itself, after few transactions', async () => {
    const boxes = await ready(40)
    const profiles = await Promise.all(boxes.map(({ box }) => box.getProfile()))
    expect(profiles.map(({ status }) => status)).toEqual(boxes.map(() => 0))
    for (const { name, box } of boxes) {
      expect(await box.poll()).toBe(true)
      expect(await dealer.call(calls.clients.detail, { name })).toMatchObject({
        stb_sn: box.told.sn,
        stb_type: 'MAG250',
      })
      expect(await dealer.call(calls.clients.deviceHistory, { name })).toMatchObject([
        { event: 'first seen', detail: box.told.sn },
      ])
    }
    expect(await transactions(boxes.map(({ name }) => name))).toBeLessThan(boxes.length)
  })

  test('do not wait for one whose client is being changed', async () => {
    const boxes = await ready(6)
    const [{ name, box: held }, ...others] = boxes as [(typeof boxes)[0], ...typeof boxes]
    const release = await holdOpen(
      world.server.ownerSql,
      (sql) => sql`select from client where name = ${name} for update`,
    )
    const waiting = held.getProfile()
    try {
      await somebodyWaits(world.server.sql)
      const before = await waitersOf(world.server.sql)
      const profiles = await Promise.all(others.map(({ box }) => box.getProfile()))
      expect(profiles.map(({ status }) => status)).toEqual(others.map(() => 0))
      // Its transaction has not given up meanwhile.
      expect(await waitersOf(world.server.sql)).toEqual(before)
    } finally {
      await release()
    }
    expect((await waiting).status).toBe(0)
    expect(await held.poll()).toBe(true)
  })

  test('are in also where what one of them says cannot be stored', async () => {
    const boxes = await ready(6)
    const [broken] = await ready(1, { hw_version: 'cannot be stored' })
    const all = boxes.flatMap((one, at) => (at === 3 && broken ? [one, broken] : [one]))
    await world.server.ownerSql`
      alter table device add constraint device_test_check check (hardware <> 'cannot be stored')`
    try {
      const answers = await Promise.all(all.map(({ box }) => box.ask('stb/get_profile', box.told)))
      const statuses = all.map((one, at) => [one === broken, answers[at]?.status])
      expect(statuses).toEqual(all.map((one) => (one === broken ? [true, 503] : [false, 200])))
      for (const { box } of boxes) expect(await box.poll()).toBe(true)
    } finally {
      await world.server.ownerSql`alter table device drop constraint device_test_check`
    }
  })

  test('with one MAC come one after the other, and the last one is in', async () => {
    const { mac, name } = await world.client(dealer, { months: 1 })
    const twins = Array.from({ length: 5 }, () => new Box(world.server, { mac, told: { sn: 'SN-1' } }))
    await Promise.all(twins.map((box) => box.handshake()))
    const profiles = await Promise.all(twins.map((box) => box.getProfile()))
    expect(profiles.map(({ status }) => status)).toEqual(twins.map(() => 0))
    const polls = await Promise.all(twins.map((box) => box.poll()))
    expect(polls.filter(Boolean)).toHaveLength(1)
    expect(await dealer.call(calls.clients.deviceHistory, { name })).toMatchObject([{ event: 'first seen' }])
  })

  test('with one MAC are each judged by what they say themselves', async () => {
    const [{ box: first }] = (await ready(1)) as [Awaited<ReturnType<typeof ready>>[0]]
    expect((await first.getProfile()).status).toBe(0)
    const said = ['SN-0', 'another', 'SN-0', 'another']
    const boxes = said.map((sn) => new Box(world.server, { mac: first.mac, told: { sn } }))
    await Promise.all(boxes.map((box) => box.handshake()))
    const profiles = await Promise.all(boxes.map((box) => box.getProfile()))
    expect(profiles.map(({ status }) => status)).toEqual([0, 1, 0, 1])
  })
})
