import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { isSameZone, noteTimeZone, otherZoneBefore } from './time-zone.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

test('a start hears that the days were counted in another time zone before, until that is noted', async () => {
  const before = (zone: string) => otherZoneBefore(database.sql, zone)
  expect(await before('Europe/Lisbon')).toBe(null)
  await noteTimeZone(database.owner, 'Europe/Lisbon')
  expect(await before('Europe/Lisbon')).toBe(null)
  // A start that fails notes nothing, and the next one hears it too.
  for (let starts = 0; starts < 2; starts += 1) expect(await before('UTC')).toBe('Europe/Lisbon')
  await noteTimeZone(database.owner, 'UTC')
  expect(await before('UTC')).toBe(null)
  expect(await before('Europe/Lisbon')).toBe('UTC')
})

test('a zone has old and new names, and may have one that this Node does not know', () => {
  expect(isSameZone('Asia/Calcutta', 'Asia/Kolkata')).toBe(true)
  expect(isSameZone('Mars/Olympus', 'UTC')).toBe(false)
})
