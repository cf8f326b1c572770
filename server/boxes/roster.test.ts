import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../test/support/world.ts'
import { Roster } from './roster.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('memory is cleared, and says so, once a standby was promoted', async () => {
  const { sql } = world.server
  let timeline = '00000001'
  const promotable = new Proxy(sql, {
    apply(target, self, args) {
      const isOfTimeline = String(args[0]).includes('pg_walfile_name')
      return isOfTimeline ? target`${timeline}::text` : Reflect.apply(target, self, args)
    },
  })
  const roster = new Roster(promotable, pino({ level: 'silent' }), () => world.clock.now)
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
  timeline = '00000002'
  await catchUp()
  expect(cleared).toBe(atFirst + 1)
})
