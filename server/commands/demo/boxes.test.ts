import { expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { openWorld } from '../../../test/support/world.ts'
import { countYesterday, demoBoxes, switchOn } from './boxes.ts'

test('the boxes of the demonstration come online and show what they are told', async () => {
  const world = await openWorld()
  const { dealer } = await world.family({ credits: 2 })
  const { name } = await world.client(dealer, { months: 1 })
  await world.server.sql`
    insert into device (client, stb_sn, stb_type) select id, 'SN-1', 'MAG322' from client where name = ${name}`
  const { name: mistyped } = await world.client(dealer, { months: 1, stb_mac: '00:1A:79:AB:CD:EF' })
  const boxes = await demoBoxes(world.server.sql)
  expect(boxes.map(({ stb_sn }) => stb_sn)).toEqual(['SN-1', '', '', '', ''])
  const switchOff = switchOn(world.server.boxUrl, boxes, 50)
  try {
    const { tell, told, detail } = calls.clients
    await dealer.call(tell, { clients: [name], event: 'message', message: 'Hello' })
    await expect
      .poll(async () => {
        world.clock.pass({ seconds: 5 })
        return (await dealer.call(told, { name }))[0]?.state
      })
      .toBe('shown')
    await world.server.gateway.write()
    expect(await dealer.call(detail, { name })).toMatchObject({ online: true, stb_sn: 'SN-1' })
    const listUnknown = async () => (await world.admin.call(calls.boxes.unknown)).data
    await expect
      .poll(async () => {
        await world.server.gateway.write()
        return listUnknown()
      })
      .toHaveLength(4)
    const unknown = await listUnknown()
    const of = unknown.find(({ mac }) => mac === boxes.at(-1)?.mac)
    expect(of?.similar).toMatchObject({ name: mistyped, digits: 1 })
  } finally {
    switchOff()
    await world.close()
  }
})

test('the demonstration starts with a day of online counts, which end near the number of boxes that come online', async () => {
  const world = await openWorld()
  await countYesterday(world.server.sql, world.clock.now)
  const { counts } = await world.admin.call(calls.boxes.overview)
  expect(counts.at.at(-1)).toBe(world.clock.now.toISOString())
  expect(counts.at).toHaveLength(288)
  expect(Math.min(...counts.online)).toBeGreaterThan(0)
  expect(counts.online.at(-1)).toBeGreaterThan(110)
  expect(counts.online.at(-1)).toBeLessThan(145)
  await world.close()
})
