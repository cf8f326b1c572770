import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pace } from './pace.ts'

let given: number
let pace: Pace
beforeEach(() => {
  vi.useFakeTimers()
  given = 0
  pace = new Pace(() => {
    given += 1
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Takes pieces of a size, each in so many seconds, until it is given up. Answers how many it had. */
function read(pieces: number, bytes: number, seconds: number): number {
  for (let piece = 1; piece <= pieces; piece += 1) {
    pace.sent(bytes)
    pace.wait()
    vi.advanceTimersByTime(seconds * 1000)
    if (given > 0) return piece
    pace.stop()
  }
  return pieces
}

test('a reader that takes nothing for half a minute is given up', () => {
  pace.sent(100_000_000)
  pace.wait()
  vi.advanceTimersByTime(29_999)
  expect(given).toBe(0)
  vi.advanceTimersByTime(1)
  expect(given).toBe(1)
})

test('one that is slow over the whole file is given up, though it never stands still', () => {
  expect(read(1_000, 32_000, 2)).toBe(30)
  expect(given).toBe(1)
})

test('one that takes a quarter of a megabit a second has the whole file', () => {
  expect(read(1_000, 32_000, 1)).toBe(1_000)
  expect(given).toBe(0)
})

test('the time in which the file is being made does not count', () => {
  for (let piece = 0; piece < 100; piece += 1) {
    read(1, 32_000, 1)
    vi.advanceTimersByTime(60_000)
  }
  expect(given).toBe(0)
})
