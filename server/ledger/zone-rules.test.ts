import { expect, test } from 'vitest'
import { suiteWorld } from '../../test/support/world.ts'
import { disputedFrom } from './zone-rules.ts'

const world = await suiteWorld()
const NOW = new Date('2026-05-15T10:00:00.000Z')

test.each(['America/Toronto', 'Europe/Lisbon', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
  'the hours of %s are the same in this process and in PostgreSQL',
  async (zone) => {
    expect(await disputedFrom(world.server.sql, zone, NOW)).toBeNull()
  },
)

test('where PostgreSQL counts otherwise, the day from which it does is told', async () => {
  // Lagos is an hour ahead all year, as Lisbon is in summer alone.
  const { sql } = world.server
  const older = new Proxy(sql, {
    apply: (target, self, [text, ...values]) =>
      Reflect.apply(target, self, [
        text,
        ...values.map((one) => (one === 'Europe/Lisbon' ? 'Africa/Lagos' : one)),
      ]),
  })
  expect(await disputedFrom(older, 'Europe/Lisbon', NOW)).toBe('2026-10-30')
})
