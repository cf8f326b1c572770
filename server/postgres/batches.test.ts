import { describe, expect, test } from 'vitest'
import { openBatches } from './batches.ts'

type Begun = {
  take: () => readonly number[]
  end: (results: (string | undefined)[]) => void
  fail: (error: Error) => void
}

/** Batches of numbers, each of which begins, is given its numbers and ends when the test says so. */
function numbers({ most = 3, atOnce = 1, keyOf = (one: number): unknown => one } = {}) {
  const begun: Begun[] = []
  const ask = openBatches<number, string>({
    together(take) {
      const { promise, resolve, reject } = Promise.withResolvers<(string | undefined)[]>()
      begun.push({ take, end: resolve, fail: reject })
      return promise
    },
    alone: async (one) => `${one} alone`,
    keyOf,
    most,
    atOnce,
  })
  /** Returns the batch that began as the `nr`th. */
  const batch = async (nr: number) => {
    await expect.poll(() => begun.length).toBe(nr + 1)
    return begun[nr] as Begun
  }
  return { ask, batch, begun }
}

const lost = () => Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })

describe('a batch', () => {
  test('has all that was asked for before it was begun, up to its limit, and the next one the rest', async () => {
    const { ask, batch } = numbers()
    const answers = [1, 2, 3, 4].map(ask)
    const first = await batch(0)
    expect(first.take()).toEqual([1, 2, 3])
    first.end(['one', 'two', 'three'])
    const second = await batch(1)
    const late = ask(5)
    expect(second.take()).toEqual([4, 5])
    second.end(['four', 'five'])
    expect(await Promise.all([...answers, late])).toEqual(['one', 'two', 'three', 'four', 'five'])
  })

  test('has the first of those with one key, and the others come one after the other', async () => {
    const { ask, batch } = numbers({ most: 3, keyOf: (one) => one % 10 })
    const answers = [1, 11, 2, 21].map(ask)
    for (const [nr, taken] of [[1, 2], [11], [21]].entries()) {
      const one = await batch(nr)
      expect(one.take()).toEqual(taken)
      one.end(taken.map(String))
    }
    expect(await Promise.all(answers)).toEqual(['1', '11', '2', '21'])
  })

  test('leaves what it cannot do to be done alone', async () => {
    const { ask, batch } = numbers()
    const answers = [1, 2].map(ask)
    const first = await batch(0)
    first.take()
    first.end([undefined, 'two'])
    expect(await Promise.all(answers)).toEqual(['1 alone', 'two'])
  })

  test('that fails has each of it carried out alone', async () => {
    const { ask, batch } = numbers()
    const answers = [1, 2].map(ask)
    const first = await batch(0)
    first.take()
    first.fail(new Error('of one of them'))
    expect(await Promise.all(answers)).toEqual(['1 alone', '2 alone'])
  })

  test('that loses the database fails with all that waits, and nothing of it is tried again', async () => {
    const { ask, batch, begun } = numbers({ most: 1 })
    const answers = Promise.allSettled([1, 2].map(ask))
    const first = await batch(0)
    first.take()
    first.fail(lost())
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(begun).toHaveLength(1)
    const later = ask(3)
    const second = await batch(1)
    expect(second.take()).toEqual([3])
    second.end(['three'])
    expect(await later).toBe('three')
  })

  test.each([lost(), new Error('of no connection')])(
    'that could not begin leaves nobody waiting',
    async (error) => {
      const { ask, batch } = numbers()
      const answers = Promise.allSettled([1, 2].map(ask))
      ;(await batch(0)).fail(error)
      expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    },
  )

  test('that has failed takes nobody from the next one', async () => {
    const { ask, batch } = numbers()
    const one = ask(1).catch(() => 'lost')
    const first = await batch(0)
    first.fail(lost())
    expect(await one).toBe('lost')
    const two = ask(2)
    expect(first.take).toThrow('Nobody waits')
    const second = await batch(1)
    expect(second.take()).toEqual([2])
    second.end(['two'])
    expect(await two).toBe('two')
  })

  test('runs beside as many others as it may, and none begins with nothing to do', async () => {
    const { ask, batch, begun } = numbers({ most: 2, atOnce: 2 })
    const answers = [1, 2, 3].map(ask)
    const first = await batch(0)
    expect(begun).toHaveLength(1)
    expect(first.take()).toEqual([1, 2])
    const second = await batch(1)
    answers.push(ask(4))
    expect(second.take()).toEqual([3, 4])
    answers.push(ask(5))
    expect(begun).toHaveLength(2)
    second.end(['three', 'four'])
    const third = await batch(2)
    first.end(['one', 'two'])
    expect(third.take()).toEqual([5])
    third.end(['five'])
    expect(await Promise.all(answers)).toEqual(['one', 'two', 'three', 'four', 'five'])
    expect(begun).toHaveLength(3)
  })

  test('that loses the database leaves those who wait to another batch that has begun', async () => {
    const { ask, batch } = numbers({ most: 1, atOnce: 2 })
    const one = ask(1).catch(() => 'lost')
    const first = await batch(0)
    first.take()
    const two = ask(2)
    const second = await batch(1)
    first.fail(lost())
    expect(await one).toBe('lost')
    expect(second.take()).toEqual([2])
    second.end(['two'])
    expect(await two).toBe('two')
  })
})
