import { QueryObserver } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { ApiError } from './api.ts'
import { keyOf, loadAgain, openCache } from './cache.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('what is loaded again after a change', () => {
  test('is what is there after it, also where the first answer is still awaited', async () => {
    const { cache, answers, shown } = open()
    loadAgain(cache)
    await expect.poll(() => answers.length).toBe(2)
    answers[1]?.('after')
    answers[0]?.('before')
    await expect.poll(shown).toBe('after')
  })

  test('shows what was there until the new answer comes', async () => {
    const { cache, answers, shown } = open()
    answers[0]?.('before')
    await expect.poll(shown).toBe('before')
    loadAgain(cache)
    loadAgain(cache)
    expect(shown()).toBe('before')
    await expect.poll(() => answers.length).toBe(3)
    answers[2]?.('after')
    await expect.poll(shown).toBe('after')
  })

  test('is what somebody gets who was waiting for it to be loaded again', async () => {
    const { cache, answers, shown, refetch } = open()
    answers[0]?.('before')
    await expect.poll(shown).toBe('before')
    const waits = refetch()
    await expect.poll(() => answers.length).toBe(2)
    loadAgain(cache)
    await expect.poll(() => answers.length).toBe(3)
    answers[2]?.('after')
    expect((await waits).data).toBe('after')
  })

  test('is only what the calls have answered that the change has made stale', async () => {
    const { cache, answers, shown } = open()
    loadAgain(cache, [calls.clients.due])
    answers[0]?.('before')
    await expect.poll(shown).toBe('before')
    expect(answers.length).toBe(1)
    loadAgain(cache, [calls.clients.due, calls.clients.list])
    await expect.poll(() => answers.length).toBe(2)
  })
})

test.each([
  ['is asked for again where the connection was lost at once', false, 3],
  ['is not where nothing came for half a minute, which another try would take again', true, 1],
])('what got no answer %s', async (_, timedOut, times) => {
  vi.useFakeTimers()
  const queryFn = vi.fn(() => Promise.reject(new ApiError('Lost', { code: 'offline', status: 0, timedOut })))
  openCache().prefetchQuery({ queryKey: ['clients'], queryFn })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(queryFn).toHaveBeenCalledTimes(times)
})

/** Opens a page that shows one query, and returns what answers its requests in the order in which they were made. */
function open() {
  const cache = openCache()
  const answers: ((answer: string) => void)[] = []
  const observer = new QueryObserver<string>(cache, {
    queryKey: keyOf(calls.clients.list, {}),
    queryFn: ({ signal }) =>
      new Promise((answer, refuse) => {
        signal.addEventListener('abort', () => refuse(signal.reason))
        answers.push(answer)
      }),
  })
  observer.subscribe(() => {})
  return {
    cache,
    answers,
    shown: () => observer.getCurrentResult().data,
    refetch: () => observer.refetch(),
  }
}
