import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Turns } from './turns.ts'

const MAX_WAIT_MS = 10_000

let turns: Turns<string>
/** The owners whose turns have begun, in that order. */
let begun: string[]
/** The function that ends each of these turns. */
let ends: (() => void)[]

beforeEach(() => {
  vi.useFakeTimers()
  turns = new Turns({ atOnce: 4, each: 2, maxWait: { ms: MAX_WAIT_MS, message: 'Please come again.' } })
  begun = []
  ends = []
})
afterEach(() => {
  vi.useRealTimers()
})

/** Asks for a turn of an owner. */
async function ask(owner: string): Promise<void> {
  const asking = turns.take(owner).then((end) => {
    begun.push(owner)
    ends.push(end)
  })
  asking.catch(() => {})
  await vi.advanceTimersByTimeAsync(0)
}

async function end(at: number): Promise<void> {
  ends[at]?.()
  await vi.advanceTimersByTimeAsync(0)
}

describe('a turn', () => {
  test('is not given beyond the limit for one owner, even if places are free', async () => {
    for (const owner of ['ann', 'ann', 'ann', 'bob']) await ask(owner)
    expect(begun).toEqual(['ann', 'ann', 'bob'])
    await end(0)
    expect(begun).toEqual(['ann', 'ann', 'bob', 'ann'])
  })

  test('is given to an owner only up to a lower limit while others have turns, and up to the full limit once theirs have ended', async () => {
    turns = new Turns({ each: 4, eachBesideOthers: 2 })
    for (const owner of ['bob', 'ann', 'ann', 'ann', 'ann', 'ann']) await ask(owner)
    expect(begun).toEqual(['bob', 'ann', 'ann'])
    await end(1)
    expect(begun).toEqual(['bob', 'ann', 'ann', 'ann'])
    await end(0)
    expect(begun).toEqual(['bob', 'ann', 'ann', 'ann', 'ann', 'ann'])
  })

  test('is given only up to the lowest limit to an owner whose requests have waited for long beside others, until none of them waits', async () => {
    turns = new Turns({ each: 4, eachBesideOthers: 2, eachInsistent: { afterMs: 1_000, each: 1 } })
    for (const owner of ['bob', 'ann', 'ann', 'ann', 'ann', 'ann']) await ask(owner)
    expect(begun).toEqual(['bob', 'ann', 'ann'])
    await vi.advanceTimersByTimeAsync(999)
    await end(1)
    expect(begun).toEqual(['bob', 'ann', 'ann', 'ann'])
    await vi.advanceTimersByTimeAsync(1)
    await end(2)
    expect(begun).toEqual(['bob', 'ann', 'ann', 'ann'])
    await end(3)
    expect(begun).toEqual(['bob', 'ann', 'ann', 'ann', 'ann'])
    await end(4)
    expect(begun).toEqual(['bob', 'ann', 'ann', 'ann', 'ann', 'ann'])
    await ask('ann')
    expect(begun.at(-1)).toBe('ann')
    expect(begun).toHaveLength(7)
  })

  test('goes to each owner in rotation, however many one of them asks for', async () => {
    for (const owner of ['ann', 'ann', 'bob', 'bob']) await ask(owner)
    for (const owner of ['ann', 'ann', 'ann', 'cem', 'cem', 'dan']) await ask(owner)
    for (const at of [0, 1, 2, 3, 4, 5]) await end(at)
    expect(begun.slice(4)).toEqual(['ann', 'cem', 'dan', 'ann', 'cem', 'ann'])
  })

  test('that was not given in time is refused, and the other turns stay as they were', async () => {
    for (const owner of ['ann', 'ann', 'bob', 'bob']) await ask(owner)
    const refused = expect(turns.take('cem')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Please come again.',
      retryAfter: 10,
      unchanged: true,
    })
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS)
    await refused
    await end(0)
    await ask('dan')
    expect(begun).toEqual(['ann', 'ann', 'bob', 'bob', 'dan'])
  })

  test('is not given to a caller who has disconnected', async () => {
    for (const owner of ['ann', 'ann', 'bob', 'bob']) await ask(owner)
    const [cem, gone] = [new AbortController(), AbortSignal.abort()]
    const left = expect(turns.take('cem', cem.signal)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(turns.take('eve', gone)).rejects.toMatchObject({ code: 'unavailable' })
    await ask('dan')
    cem.abort()
    await left
    await end(0)
    expect(begun).toEqual(['ann', 'ann', 'bob', 'bob', 'dan'])
    // Nobody is left to whom the next free place could go.
    await end(1)
    await ask('fay')
    expect(begun.at(-1)).toBe('fay')
  })

  test('that has begun stays taken when its caller disconnects', async () => {
    for (const owner of ['ann', 'ann', 'bob']) await ask(owner)
    const eve = new AbortController()
    const end = await turns.take('eve', eve.signal)
    eve.abort()
    await ask('dan')
    expect(begun).toEqual(['ann', 'ann', 'bob'])
    end()
    await vi.advanceTimersByTimeAsync(0)
    expect(begun.at(-1)).toBe('dan')
  })

  test('ends once, however often its end is called', async () => {
    for (const owner of ['ann', 'ann', 'bob', 'bob', 'cem', 'dan']) await ask(owner)
    await end(0)
    await end(0)
    expect(begun).toEqual(['ann', 'ann', 'bob', 'bob', 'cem'])
  })

  test('ends when its work has ended or failed', async () => {
    const one = new Turns<string>({ atOnce: 1 })
    await expect(one.run('ann', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await one.run('ann', async () => 'done')).toBe('done')
  })
})
