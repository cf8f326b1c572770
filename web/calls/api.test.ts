import { afterEach, describe, expect, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { now } from '../clock.ts'
import { addressOf, mayBeDone, probe, send, setTokenSource } from './api.ts'
import { connection } from './connection.ts'
import { receive } from './receive.ts'

const { url } = addressOf(calls.transactions.list, {})
const server = vi.fn(async (_url: string, _request?: RequestInit) => answer('asked now'))
vi.stubGlobal('fetch', server)
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })
setTokenSource({ token: () => 'mine', ended() {} })
afterEach(() => {
  server.mockClear()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('what was asked for ahead is taken, once', async () => {
  askedAhead()
  expect(await ask()).toEqual({ data: 'asked ahead' })
  expect(server).not.toHaveBeenCalled()
  expect(await ask()).toEqual({ data: 'asked now' })
})

test.each([
  ['by another session', () => ({ token: "another's" })],
  ['half a minute ago', () => ({ asked: Date.now() - 31_000 })],
  ['in vain', () => ({ answered: Promise.reject(new TypeError('Failed to fetch')) })],
  ['and refused', () => ({ answered: heard(new Response('{}', { status: 503 })) })],
])('what was asked for ahead %s is asked again', async (_, given) => {
  askedAhead(given())
  expect(await ask()).toEqual({ data: 'asked now' })
})

test('what was asked for ahead of a change is asked again', async () => {
  askedAhead()
  server.mockResolvedValueOnce(new Response('{"status":"OK"}'))
  await send(calls.session.logout, {})
  expect(await ask()).toEqual({ data: 'asked now' })
})

test('an answer that waited for the scripts sets the clock by when it came', async () => {
  const asked = Date.now() - 20_000
  const said = new Response(JSON.stringify({ now: new Date(asked + 100).toISOString() }))
  askedAhead({ asked, answered: heard(said, asked + 200) })
  await ask()
  expect(Math.abs(now().getTime() - Date.now())).toBeLessThan(1_000)
})

describe('a call whose answer does not come', () => {
  test('counts as a lost connection after 30 seconds, also in a browser without AbortSignal.any', async () => {
    withoutAny()
    vi.useFakeTimers()
    server.mockImplementationOnce(silent)
    const { signal } = new AbortController()
    const leaves = vi.spyOn(signal, 'removeEventListener')
    const end = expect(ask(signal)).rejects.toMatchObject({ code: 'offline', status: 0 })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(connection.lost.get()).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await end
    expect(connection.lost.get()).toBe(true)
    expect(leaves).toHaveBeenCalled()
    expect(await ask()).toEqual({ data: 'asked now' })
    expect(connection.lost.get()).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is given up after 5 seconds while the connection is lost, if it changes nothing', async () => {
    await expectProxy(502)
    vi.useFakeTimers()
    server.mockImplementation(silent)
    const late = vi.fn()
    const reads = ask().catch(late)
    const changes = send(calls.clients.remove, { name: 'alex' }).catch(late)
    await vi.advanceTimersByTimeAsync(4_999)
    expect(late).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await reads
    expect(late.mock.calls).toEqual([[expect.objectContaining({ code: 'offline', timedOut: true })]])
    await vi.advanceTimersByTimeAsync(25_000)
    await changes
    expect(late).toHaveBeenCalledTimes(2)
    server.mockImplementation(async () => answer('asked now'))
    expect(await ask()).toEqual({ data: 'asked now' })
  })

  test('says nothing of a connection by which another call was answered meanwhile', async () => {
    vi.useFakeTimers()
    server.mockImplementationOnce(silent)
    const message = 'Boxtree did not answer in time. Please try again.'
    const end = expect(ask()).rejects.toMatchObject({ code: 'offline', timedOut: true, message })
    await vi.advanceTimersByTimeAsync(29_999)
    await ask()
    await vi.advanceTimersByTimeAsync(1)
    await end
    expect(connection.lost.get()).toBe(false)
  })

  test('is found again over a line that takes long, because each try waits longer than the last', async () => {
    await expectProxy(502)
    vi.useFakeTimers()
    server.mockImplementation(slow)
    const found = []
    for (let times = 0; times < 2; times += 1) {
      const probed = probe()
      await vi.advanceTimersByTimeAsync(15_000)
      found.push(await probed)
    }
    expect(found).toEqual([false, true])
    server.mockImplementation(async () => answer('asked now'))
  })

  test('counts as one only after eleven minutes if it sends a file, for which the server waits ten', async () => {
    vi.useFakeTimers()
    server.mockImplementationOnce(silent)
    const end = expect(send(calls.channels.giveFile, { name: 'a.m3u', file: '' })).rejects.toMatchObject({
      timedOut: true,
    })
    await vi.advanceTimersByTimeAsync(659_999)
    expect(connection.lost.get()).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await end
    expect(await ask()).toEqual({ data: 'asked now' })
  })

  test('can be given up, which says nothing of the connection', async () => {
    withoutAny()
    for (const isBefore of [true, false]) {
      const caller = new AbortController()
      if (isBefore) caller.abort()
      server.mockImplementationOnce(silent)
      const end = expect(ask(caller.signal)).rejects.toMatchObject({ name: 'AbortError' })
      await Promise.resolve()
      caller.abort()
      await end
    }
    expect(connection.lost.get()).toBe(false)
  })
})

describe('a file that breaks off before its end', () => {
  const message = 'The file broke off before its end. On a slow line, choose fewer clients or days.'

  test('is told as that, and the connection as lost only if the server does not answer', async () => {
    server.mockResolvedValueOnce(brokenOff())
    await expect(download()).rejects.toMatchObject({ name: 'ApiError', message })
    expect(server).toHaveBeenLastCalledWith('/v1/health', expect.anything())
    expect(connection.lost.get()).toBe(false)
    server.mockResolvedValueOnce(brokenOff()).mockRejectedValueOnce(new TypeError('Failed to fetch'))
    await expect(download()).rejects.toMatchObject({ message })
    await vi.waitFor(() => expect(connection.lost.get()).toBe(true))
    expect(await ask()).toEqual({ data: 'asked now' })
  })

  test('because it was stopped says nothing', async () => {
    server.mockResolvedValueOnce(brokenOff(new DOMException('Stopped', 'AbortError')))
    await expect(download()).rejects.toMatchObject({ name: 'AbortError' })
    expect(server).toHaveBeenCalledTimes(1)
  })
})

describe('while another call is answered by a proxy', () => {
  test('a refusal is told as what it is', async () => {
    let say = (_: string) => {}
    const text = () => new Promise<string>((told) => (say = told))
    server.mockResolvedValueOnce(Object.assign(new Response('', { status: 404 }), { text }))
    const end = expect(ask()).rejects.toMatchObject({ code: 'not_found', message: 'There is none' })
    await expectProxy(502)
    say('{"code":"not_found","message":"There is none"}')
    await end
  })

  test.each([503, 504])('a lost connection is told as one, by a proxy with %i', async (status) => {
    const end = expectProxy(status)
    expect(await ask()).toEqual({ data: 'asked now' })
    await end
  })
})

test("a 503 of the server's own is told as what it is", async () => {
  const body = { code: 'unavailable', message: 'The database is starting' }
  server.mockResolvedValueOnce(Response.json(body, { status: 503 }))
  await expect(ask()).rejects.toMatchObject(body)
  expect(connection.lost.get()).toBe(false)
})

test('what a proxy finds too large is refused for good, and its notice does not ask to send it again', async () => {
  server.mockResolvedValueOnce(new Response('<h1>Request Entity Too Large</h1>', { status: 413 }))
  const error = await ask().catch((failure: unknown) => failure)
  expect(error).toMatchObject({
    code: 'too_large',
    message: 'This is too large for a proxy between you and Boxtree. Tell whoever runs Boxtree.',
  })
  expect(mayBeDone(error)).toBe(false)
})

/** Makes a call that a proxy answers because the console is down. */
async function expectProxy(status: number) {
  server.mockResolvedValueOnce(new Response('<h1>Bad Gateway</h1>', { status }))
  await expect(ask()).rejects.toMatchObject({ code: 'offline', status })
}

function download() {
  const { signal } = new AbortController()
  return receive(calls.files.download, { ticket: 'a' }, { signal, onPiece() {} })
}

/** Like a file of which the server ends the connection after the first piece. */
function brokenOff(error: Error = new TypeError('network error')): Response {
  const pieces = [new TextEncoder().encode('"Name"')]
  const pull = (file: ReadableStreamDefaultController) => {
    const piece = pieces.pop()
    if (piece) file.enqueue(piece)
    else file.error(error)
  }
  return new Response(new ReadableStream({ pull }))
}

function withoutAny() {
  vi.spyOn(AbortSignal as { any?: unknown }, 'any', 'get').mockReturnValue(undefined)
}

/** Like a line on which each answer takes 6 seconds. */
function slow(_: string, { signal }: RequestInit = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    setTimeout(() => resolve(answer('asked now')), 6_000)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}

/** Like a server that never answers. */
function silent(_: string, { signal }: RequestInit = {}): Promise<Response> {
  return new Promise((_, refuse) => {
    const end = () => refuse(signal?.reason)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end)
  })
}

function ask(signal?: AbortSignal) {
  return send(calls.transactions.list, {}, { signal })
}

function askedAhead(given: object = {}) {
  const one = { token: 'mine', asked: Date.now(), answered: heard(answer('asked ahead')), ...given }
  vi.stubGlobal('askedAhead', new Map([[url, one]]))
}

async function heard(response: Response, heard = Date.now()) {
  return { response, heard }
}

function answer(data: string): Response {
  return new Response(JSON.stringify({ data }))
}
