import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { giveUpSlowest, Pace } from './pace.ts'

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
  pace.end()
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

describe('while another account waits for a place', () => {
  test('a reader who takes nothing for 5 seconds is given up', () => {
    pace.sent(100_000_000)
    pace.wait()
    vi.advanceTimersByTime(5_000)
    giveUpSlowest()
    expect(given).toBe(0)
    vi.advanceTimersByTime(1)
    giveUpSlowest()
    expect(given).toBe(1)
  })

  test('a reader who takes less than four megabits a second is given up, even without a pause', () => {
    expect(read(60, 500_000, 1)).toBe(60)
    giveUpSlowest()
    expect(given).toBe(0)
    read(60, 300_000, 1)
    giveUpSlowest()
    expect(given).toBe(1)
  })

  test('a reader who takes four megabits a second gets the whole file', () => {
    for (let second = 1; second <= 600; second += 1) {
      read(1, 512_000, 1)
      giveUpSlowest()
    }
    expect(given).toBe(0)
  })

  test('only the slowest of all readers is given up, and only once', () => {
    const others = [400_000, 0, 200_000].map((rate) => {
      const other = { rate, given: 0, pace: new Pace(() => (other.given += 1)) }
      return other
    })
    for (let second = 1; second <= 20; second += 1) {
      for (const { rate, pace } of others) {
        pace.sent(rate)
        pace.wait()
      }
      vi.advanceTimersByTime(1_000)
      for (const { pace } of others) pace.stop()
    }
    giveUpSlowest()
    expect(others.map(({ given }) => given)).toEqual([0, 1, 0])
    giveUpSlowest()
    expect(others.map(({ given }) => given)).toEqual([0, 1, 1])
    for (const { pace } of others) pace.end()
  })
})
