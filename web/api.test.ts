import { afterEach, expect, test, vi } from 'vitest'
import { calls } from '../contract/calls.ts'
import { addressOf, send, setTokenSource } from './api.ts'
import { now } from './clock.ts'

const { url } = addressOf(calls.transactions.list, {})
const server = vi.fn(async (_url: string, _request?: RequestInit) => answer('asked now'))
vi.stubGlobal('fetch', server)
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })
setTokenSource({ token: () => 'mine', ended() {} })
afterEach(() => server.mockClear())

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

function ask() {
  return send(calls.transactions.list, {})
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
