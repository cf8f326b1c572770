import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { promotable } from '../../../test/support/promotion.ts'
import { openWorld, type World } from '../../../test/support/world.ts'
import { Roster } from './roster.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('a box that asks once the machine has slept in the midst of a reading is answered by the next one', async () => {
  const roster = new Roster(world.server.sql, pino({ level: 'silent' }), () => world.clock.now)
  await roster.catchUp()
  world.clock.pass({ seconds: 3 })
  const before = roster.catchUp()
  world.clock.pass({ hours: 1 })
  await expect(roster.catchUp()).resolves.toBeUndefined()
  await before
})

test('memory is cleared, and says so, once a standby was promoted', async () => {
  const { sql, promote } = promotable(world.server.sql)
  const roster = new Roster(sql, pino({ level: 'silent' }), () => world.clock.now)
  let cleared = 0
  roster.whenCleared(() => {
    cleared += 1
  })
  const catchUp = () => {
    world.clock.pass({ seconds: 6 })
    return roster.catchUp()
  }
  await catchUp()
  const atFirst = cleared
  await catchUp()
  expect(cleared).toBe(atFirst)
  promote()
  await catchUp()
  expect(cleared).toBe(atFirst + 1)
})
