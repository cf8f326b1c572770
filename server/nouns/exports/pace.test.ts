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

/** Takes pieces of a size, each in so many seconds, until it is given up. Returns how many it had. */
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

test('a reader who takes nothing for 30 seconds is cut off', () => {
  pace.sent(100_000_000)
  pace.wait()
  vi.advanceTimersByTime(29_999)
  expect(given).toBe(0)
  vi.advanceTimersByTime(1)
  expect(given).toBe(1)
})

test('a reader who is too slow over the whole file is cut off, even without a pause', () => {
  expect(read(1_000, 32_000, 2)).toBe(30)
  expect(given).toBe(1)
})

test('a reader who takes a quarter of a megabit a second gets the whole file', () => {
  expect(read(1_000, 32_000, 1)).toBe(1_000)
  expect(given).toBe(0)
})

test('the time that the server takes to make the file does not count against its reader', () => {
  for (let piece = 0; piece < 100; piece += 1) {
    read(1, 32_000, 1)
    vi.advanceTimersByTime(60_000)
  }
  expect(given).toBe(0)
})
