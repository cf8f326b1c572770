import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { Box } from '../../../test/support/box.ts'
import { openWorld, type World } from '../../../test/support/world.ts'
import type { BoxClient } from '../client.ts'
import { openPresence } from './presence.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('of many answers that wait, those that were stored before an error wait no longer', async () => {
  const { sql, ownerSql } = world.server
  const { dealer } = await world.family({ credits: 5 })
  for (let client = 0; client < 5; client += 1) await world.client(dealer, { months: 1 })
  const ids = (await sql<{ id: number }[]>`select id from client order by id`).map(({ id }) => id)
  const stored = async () =>
    (await sql<{ client: number }[]>`select client from presence order by client`).map(({ client }) => client)
  const presence = openPresence(sql, pino({ level: 'silent' }), () => world.clock.now, 2)
  for (const id of ids) presence.refused({ id } as BoxClient, 'expired', world.clock.now)
  await ownerSql`alter table presence add constraint none_of_these check (client <> ${ownerSql.unsafe(String(ids[2]))})`
  await presence.write()
  expect(await stored()).toEqual(ids.slice(0, 2))
  await ownerSql`delete from presence`
  await ownerSql`alter table presence drop constraint none_of_these`
  await presence.write()
  expect(await stored()).toEqual(ids.slice(2))
  await presence.write()
  expect(await stored()).toEqual(ids.slice(2))
})

test('what a box did while the clock was ahead counts no more once it is right, and gives way to what it does then', async () => {
  const { dealer } = await world.family({ credits: 5 })
  const { name, mac } = await world.client(dealer, { months: 1 })
  const box = new Box(world.server, { mac })
  const shown = async () => {
    const { online, last_active, box_refusal } = await dealer.call(calls.clients.detail, { name })
    return { online, last_active, box_refusal }
  }
  await box.signIn()
  world.clock.pass({ days: 1 })
  await box.poll()
  await world.server.gateway.write()
  world.clock.pass({ hours: -24, minutes: 10 })
  expect(await shown()).toMatchObject({ online: false })
  await dealer.call(calls.clients.save, { login: name, status: false })
  await box.poll()
  await world.server.gateway.write()
  expect(await shown()).toEqual({ online: false, last_active: null, box_refusal: 'switched_off' })
  await dealer.call(calls.clients.save, { login: name, status: true })
  await box.signIn()
  await box.poll()
  await world.server.gateway.write()
  expect(await shown()).toEqual({
    online: true,
    last_active: world.clock.now.toISOString(),
    box_refusal: null,
  })
})
