import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { noteTimeZone } from './time-zone.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a start hears once that the days were counted in another time zone before', async () => {
  const heard = (zone: string) => noteTimeZone(database.owner, zone)
  expect(await heard('Europe/Lisbon')).toBe(null)
  expect(await heard('Europe/Lisbon')).toBe(null)
  expect(await heard('UTC')).toBe('Europe/Lisbon')
  expect(await heard('UTC')).toBe(null)
  expect(await heard('Asia/Calcutta')).toBe('UTC')
  // Another name of the same zone.
  expect(await heard('Asia/Kolkata')).toBe(null)
})
