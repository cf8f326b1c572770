import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { takeSlot } from './slots.ts'

const MOST = 4

let taken: (() => void)[] = []
beforeEach(async () => {
  vi.useFakeTimers()
  taken = await Promise.all(Array.from({ length: MOST }, takeSlot))
})
afterEach(() => {
  for (const release of taken) release()
  vi.useRealTimers()
})

test('a download beyond the most waits until another ends', async () => {
  let begun = false
  const next = takeSlot().then((release) => {
    begun = true
    taken.push(release)
  })
  await vi.advanceTimersByTimeAsync(9_000)
  expect(begun).toBe(false)
  taken[0]?.()
  await next
  expect(begun).toBe(true)
})

test('one that waited ten seconds is told to come again, and takes nobody his turn', async () => {
  const refused = expect(takeSlot()).rejects.toMatchObject({ code: 'unavailable', retryAfter: 10 })
  await vi.advanceTimersByTimeAsync(10_000)
  await refused
  taken[1]?.()
  taken.push(await takeSlot())
})

test('a place given back twice is one place', async () => {
  taken[2]?.()
  taken[2]?.()
  taken.push(await takeSlot())
  const refused = expect(takeSlot()).rejects.toMatchObject({ code: 'unavailable' })
  await vi.advanceTimersByTimeAsync(10_000)
  await refused
})
