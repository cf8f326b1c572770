import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Turns } from '../turns.ts'
import { openCallLimits } from './call-limits.ts'

/** What SECURITY.md promises of calls that run at once. */

let begun: string[]
/** What ends the turns that have begun, in their order. */
let ends: (() => void)[]

beforeEach(() => {
  vi.useFakeTimers()
  begun = []
  ends = []
})
afterEach(() => {
  vi.useRealTimers()
})

async function ask(turns: Turns<number>, owner: number, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    turns.take(owner).then(
      (end) => {
        begun.push(String(owner))
        ends.push(end)
      },
      ({ message }: Error) => begun.push(message),
    )
  }
  await vi.advanceTimersByTimeAsync(0)
}

test('one account has at most 8 calls at once, and the ninth is refused after ten seconds, with a sentence', async () => {
  await ask(openCallLimits().calls, 1, 9)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(begun).toEqual(Array(8).fill('1'))
  await vi.advanceTimersByTimeAsync(1)
  expect(begun[8]).toBe('Too much is under way for your account. Please try again in a moment.')
})

test('beside another account it has at most 3, and 1 once its calls have been waiting for a second', async () => {
  const { calls } = openCallLimits()
  await ask(calls, 2, 1)
  await ask(calls, 1, 6)
  expect(begun).toEqual(['2', '1', '1', '1'])
  ends[1]?.()
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toHaveLength(5)
  await vi.advanceTimersByTimeAsync(1_000)
  for (const at of [2, 3]) {
    ends[at]?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toHaveLength(5)
  }
  ends[4]?.()
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toHaveLength(6)
})

test('of changes one account has at most 5 at once and all together 7, and the next is refused after ten seconds', async () => {
  const { changes } = openCallLimits()
  await ask(changes, 1, 6)
  await ask(changes, 2, 3)
  expect(begun).toEqual(['1', '1', '1', '1', '1', '2', '2'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(begun.slice(7)).toEqual(
    Array(2).fill('Too many changes are under way at the moment. Please try again in a moment.'),
  )
})
