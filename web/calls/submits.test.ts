import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { KEY_LIFE_MS } from '../../contract/time.ts'

vi.mock('../session.tsx', () => ({ signedInAs: () => 'mia' }))

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const INPUT = { name: 'tv-1', months: 1 }

/** The Idempotency-Keys of the requests. */
let keys: (string | null)[]
/** Whether requests are answered. */
let isAnswered: boolean
/** Whether they get neither an answer nor an error. */
let isSilent: boolean

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-05-10T12:00:00Z') })
  keys = []
  isAnswered = false
  isSilent = false
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  })
  vi.stubGlobal('fetch', async (_: string, { headers, signal }: RequestInit) => {
    keys.push(new Headers(headers).get('idempotency-key'))
    if (isSilent)
      await new Promise((_, refuse) => signal?.addEventListener('abort', () => refuse(signal.reason)))
    if (!isAnswered) throw new TypeError('Failed to fetch')
    return Response.json({ status: 'OK', expiry: '2026-06-10T23:59:59.000Z', credits: 1 })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** What a new load of the page does. */
async function load() {
  vi.resetModules()
  return import('./submits.ts')
}

type Page = Awaited<ReturnType<typeof load>>

/** Submits, and waits until the person is told that there is no answer. Returns the one key of all its tries. */
async function keyOf({ submitOnce }: Page, options?: { again: boolean }) {
  keys = []
  const end = expect(submitOnce(calls.clients.renew, INPUT, 'mia', options)).rejects.toThrow(
    'nothing is ever',
  )
  await vi.advanceTimersByTimeAsync(10_000)
  await end
  expect(keys).toHaveLength(4)
  expect(new Set(keys).size).toBe(1)
  return keys[0]
}

/** Lets time pass from the first submit on. */
function until(milliseconds: number) {
  vi.setSystemTime(Date.parse('2026-05-10T12:00:00Z') + milliseconds)
}

describe('a submit without an answer', () => {
  test('keeps its key for 23 hours in the form that was told so, less than the server does', async () => {
    const page = await load()
    const key = await keyOf(page)
    until(23 * HOUR - 1)
    expect(await keyOf(page, { again: true })).toBe(key)
    until(23 * HOUR)
    expect(await keyOf(page, { again: true })).not.toBe(key)
    expect(23 * HOUR).toBeLessThan(KEY_LIFE_MS)
  })

  test('is told to the person once nothing has come for half a minute, and not sent again by itself', async () => {
    const page = await load()
    const key = await keyOf(page)
    keys = []
    isSilent = true
    const end = expect(page.submitOnce(calls.clients.renew, INPUT, 'mia')).rejects.toThrow('nothing is ever')
    await vi.advanceTimersByTimeAsync(30_000)
    await end
    await vi.advanceTimersByTimeAsync(120_000)
    expect(keys).toEqual([key])
  })

  test('can be stopped, and keeps its key for when it is sent again', async () => {
    const page = await load()
    isSilent = true
    const stopper = new AbortController()
    const { signal } = stopper
    const end = expect(page.submitOnce(calls.clients.renew, INPUT, 'mia', { signal })).rejects.toThrow(
      'It was stopped',
    )
    await vi.advanceTimersByTimeAsync(1_000)
    stopper.abort()
    await end
    const [key] = keys
    isSilent = false
    isAnswered = true
    expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(true)
    expect(keys).toEqual([key, key])
  })

  test('is told from one that is sent for the first time', async () => {
    const page = await load()
    await keyOf(page)
    isAnswered = true
    expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(true)
    expect((await page.submitOnce(calls.clients.renew, INPUT, 'mia')).isRepeat).toBe(false)
  })

  test('keeps its key for 15 minutes in another form and after a reload', async () => {
    const key = await keyOf(await load())
    const page = await load()
    until(15 * MINUTE - 1)
    expect(await keyOf(page)).toBe(key)
    until(15 * MINUTE)
    expect(await keyOf(page)).not.toBe(key)
  })

  test('is sent again by itself for 15 minutes after a reload before its answer', async () => {
    const { submitOnce } = await load()
    void submitOnce(calls.clients.renew, INPUT, 'mia').catch(() => {})
    await vi.advanceTimersByTimeAsync(0)
    until(15 * MINUTE - 1)
    expect((await load()).takeUnanswered('mia')).toEqual([{ call: expect.anything(), input: INPUT }])
    until(15 * MINUTE)
    expect((await load()).takeUnanswered('mia')).toEqual([])
  })
})
