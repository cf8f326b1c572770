import { describe, expect, test, vi } from 'vitest'
import { chunk } from './chunk.ts'

/** A chunk whose fetching ends when the test says so. */
function held() {
  const answers: PromiseWithResolvers<string>[] = []
  const get = vi.fn(() => {
    const answer = Promise.withResolvers<string>()
    answers.push(answer)
    return answer.promise
  })
  return { part: chunk(get), get, answers }
}

describe('a chunk', () => {
  test('that is asked for twice before it arrives, and again afterwards, is fetched once', async () => {
    const { part, get, answers } = held()
    const asked = [part.load(), part.load()]
    expect(part.value.get()).toBeUndefined()
    answers[0]?.resolve('here')
    expect(await Promise.all([...asked, part.load()])).toEqual(['here', 'here', 'here'])
    expect(get).toHaveBeenCalledTimes(1)
  })

  test('has its value by the time that it tells of its arrival, once to each who waits', async () => {
    const { part, answers } = held()
    const seen: (string | undefined)[] = []
    part.value.subscribe(() => seen.push(part.value.get()))
    part.value.subscribe(() => seen.push(part.value.get()))
    const asked = part.load()
    answers[0]?.resolve('here')
    await asked
    await part.load()
    expect(seen).toEqual(['here', 'here'])
  })

  test('tells nothing to a component that went before it arrived, and tells the others', async () => {
    const { part, answers } = held()
    const [gone, stays] = [vi.fn(), vi.fn()]
    const leave = part.value.subscribe(gone)
    part.value.subscribe(stays)
    const asked = part.load()
    leave()
    answers[0]?.resolve('here')
    await asked
    expect(gone).not.toHaveBeenCalled()
    expect(stays).toHaveBeenCalledTimes(1)
  })

  test('that failed for all who had asked is fetched anew by the next, and its arrival reaches those who stayed', async () => {
    const { part, get, answers } = held()
    const told = vi.fn()
    part.value.subscribe(told)
    const asked = [part.load(), part.load()]
    answers[0]?.reject(new Error('The connection is lost'))
    expect(await Promise.allSettled(asked)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    expect(told).not.toHaveBeenCalled()
    const again = part.load()
    answers[1]?.resolve('here')
    await again
    expect(get).toHaveBeenCalledTimes(2)
    expect(told).toHaveBeenCalledTimes(1)
  })
})
