import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { importFetched } from './importFetched.ts'

const ask = vi.fn<(href: string) => Promise<Response>>()
const told = vi.fn()
beforeEach(() => {
  vi.stubGlobal('fetch', ask.mockReset())
  vi.stubGlobal('window', { dispatchEvent: told.mockReset() })
  vi.stubGlobal('document', {
    // The page asks for its first screen itself.
    querySelector: (link: string) => (link === 'link[href="/assets/first-screen.js"]' ? {} : null),
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** Lets the line be there. */
const answered = async () => new Response('export {}')

test.each([
  ['does not come', 'lost', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['comes with an error', 'refused', async () => new Response('', { status: 503 })],
])('a file that %s is not imported, and is fetched again by the next try', async (_how, name, failing) => {
  const imported = vi.fn(async () => 'the part')
  ask.mockImplementation((href) => (href === `/assets/${name}.js` ? failing() : answered()))
  const files = [`assets/part-of-${name}.js`, `assets/${name}.js`]
  await expect(importFetched(imported, files)).rejects.toThrow()
  expect(imported).not.toHaveBeenCalled()
  expect(told).toHaveBeenCalledOnce()
  ask.mockClear().mockImplementation(answered)
  expect(await importFetched(imported, files)).toBe('the part')
  // What has come stays.
  expect(ask.mock.calls).toEqual([[`/assets/${name}.js`]])
})

test('a file that several parts share is fetched once, and what the page asks for itself not at all', async () => {
  ask.mockImplementation(answered)
  await Promise.all([
    importFetched(async () => 1, ['assets/one.js', 'assets/common.js', 'assets/first-screen.js']),
    importFetched(async () => 2, ['assets/two.js', 'assets/common.js']),
  ])
  expect(ask.mock.calls.flat().sort()).toEqual(['/assets/common.js', '/assets/one.js', '/assets/two.js'])
})
