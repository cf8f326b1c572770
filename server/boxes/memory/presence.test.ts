import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
  const presence = openPresence(sql, pino({ level: 'silent' }), 2)
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
