import { expect, test } from 'vitest'
import { openStrangers } from './strangers.ts'

const clock = () => new Date('2026-05-15T12:00:00Z')

test('strangers that were counted are forgotten once memory is', async () => {
  const strangers = openStrangers(clock)
  const nobody = () => strangers.lookUp('203.0.113.0', `MAC ${Math.random()}`, async () => null)
  for (let some = 0; some < 62; some += 1) expect(await nobody()).toBeNull()
  expect(await nobody()).toBe('too many')
  strangers.forget()
  expect(await nobody()).toBeNull()
})
