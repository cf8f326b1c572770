import { expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { SECRET_KEY } from '../../../test/support/server.ts'
import { suiteWorld } from '../../../test/support/world.ts'
import { createSeal } from '../../access/seal.ts'
import type { Business } from '../../context.ts'
import { demoBoxes } from './boxes.ts'
import { Dealer } from './dealer.ts'
import { Stage } from './stage.ts'

const world = await suiteWorld()

test('a client of the demonstration is locked to the address of its box only while its IP Lock is on, and such boxes do not live', async () => {
  const { superreseller, reseller, dealer } = await world.family({ credits: 500 })
  const stage = new Stage(world.server.sql, {
    zone: 'UTC',
    trialsPerDay: 100,
    seal: createSeal(SECRET_KEY),
  } as Business)
  const played = new Dealer(dealer.name, {
    admin: world.admin.name,
    superreseller: superreseller.name,
    reseller: reseller.name,
  })
  for (let taken = 0; taken < 40; taken += 1) await played.takeOn(stage)
  const { data } = await dealer.call(calls.clients.list, { per_page: 50 })
  const clients = await Promise.all(data.map(({ name }) => dealer.call(calls.clients.detail, { name })))
  const ofBoxes = clients.filter(({ stb_sn }) => stb_sn !== null)
  expect(ofBoxes.filter(({ last_address }) => last_address === null)).toEqual([])
  const locked = ofBoxes.filter(({ locked_to_ip }) => locked_to_ip !== null)
  expect(locked.length).toBeGreaterThan(0)
  expect(locked.length).toBeLessThan(ofBoxes.length)
  expect(
    locked.map(({ locked, locked_to_ip, last_address }) => locked && locked_to_ip === last_address),
  ).toEqual(locked.map(() => true))
  const living = (await demoBoxes(world.server.sql)).map(({ mac }) => mac)
  expect(locked.filter(({ o_mac }) => living.includes(o_mac ?? ''))).toEqual([])
})
