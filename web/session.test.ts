import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { calls, type OutputOf } from '../contract/calls.ts'

const ANSWER = { name: 'mia', role: 'dealer', settings: {}, preferences: {}, expiry: '', time_zone: 'UTC' }

beforeEach(() => vi.resetModules())
afterEach(() => vi.unstubAllGlobals())

/** Puts a storage in the browser's place, which stores nothing more while it is full. */
function stubStorage() {
  const storage = { stored: new Map<string, string>(), isFull: false }
  const { stored } = storage
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem(key: string, text: string) {
      if (storage.isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      stored.set(key, text)
    },
    removeItem: (key: string) => stored.delete(key),
  })
  return storage
}

/** Answers every call, and returns the tokens of the sessions that are ended. */
function noteLogouts(): (string | null)[] {
  const ended: (string | null)[] = []
  vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
    if (url === '/v1/logout') ended.push(new Headers(headers).get('access-token'))
    return Response.json({ status: 'OK' })
  })
  return ended
}

test('a session that the browser stores no part of, because its storage was blocked since, ends and says what helps', async () => {
  let isBlocked = false
  const refuse = () => {
    if (isBlocked) throw new DOMException('The operation is insecure.', 'SecurityError')
    return null
  }
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    return Response.json({ status: 'OK' })
  })
  const { NotStored, openSession } = await import('./session.tsx')
  isBlocked = true
  const answer = { ...ANSWER, token: 'x' }
  expect(() => openSession(answer as unknown as OutputOf<typeof calls.session.login>)).toThrow(NotStored)
  await expect.poll(() => asked).toEqual(['/v1/logout'])
})

test('a sign-out ends the session that was replaced in place as well, which lasts five minutes longer', async () => {
  stubStorage()
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('window', { history: { replaceState() {} } })
  const ended = noteLogouts()
  const { openSession, replaceSession, signOut } = await import('./session.tsx')
  const of = (token: string) => ({ ...ANSWER, token }) as unknown as OutputOf<typeof calls.session.login>
  openSession(of('first'))
  replaceSession(of('second'))
  expect(ended).toEqual([])
  signOut()
  await expect.poll(() => ended.toSorted()).toEqual(['first', 'second'])
})

test('a sign-in that is answered once another tab has signed out, or in, signs nobody in', async () => {
  const { stored } = stubStorage()
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('window', { history: { replaceState() {} }, location: { pathname: '/', search: '' } })
  const ended = noteLogouts()
  const { openSession, replaceSession, signedInAs } = await import('./session.tsx')
  const expiry = new Date(Date.now() + 3_600_000).toISOString()
  const of = (token: string) =>
    ({ ...ANSWER, expiry, token }) as unknown as OutputOf<typeof calls.session.login>
  openSession(of('first'))
  // The other tab has signed out, of which this one hears a little later.
  stored.clear()
  stored.set('signed_out', 'true')
  replaceSession(of('second'))
  expect([stored.get('token'), stored.get('signed_out'), signedInAs()]).toEqual([undefined, 'true', null])
  // There another person signs in.
  for (const [key, text] of Object.entries({ ...ANSWER, expiry, name: 'tom', token: 'third' }))
    stored.set(key, String(text))
  openSession(of('fourth'))
  expect([stored.get('token'), signedInAs()]).toEqual(['third', 'tom'])
  await expect.poll(() => ended).toEqual(['second', 'fourth'])
})

test('a session that is replaced in a storage that is full goes on, and what helps is said', async () => {
  const storage = stubStorage()
  const ended = noteLogouts()
  const { NotStored, openSession, replaceSession } = await import('./session.tsx')
  const { send } = await import('./calls/api.ts')
  const of = (token: string) => ({ ...ANSWER, token }) as unknown as OutputOf<typeof calls.session.login>
  openSession(of('first'))
  storage.isFull = true
  expect(() => replaceSession(of('second'))).toThrow(NotStored)
  await send(calls.session.logout, {})
  expect(ended).toEqual(['second', 'first'])
})

test('a session that was not stored leaves its preferences to nobody', async () => {
  const storage = stubStorage()
  storage.isFull = true
  vi.stubGlobal('fetch', async () => Response.json({ status: 'OK' }))
  const { NotStored, openSession } = await import('./session.tsx')
  const { areShortcutsOn } = await import('./preferences.ts')
  const of = (name: string, shortcuts: boolean) => {
    const answer = { ...ANSWER, token: name, name, preferences: { shortcuts } }
    return answer as unknown as OutputOf<typeof calls.session.login>
  }
  expect(() => openSession(of('mia', false))).toThrow(NotStored)
  storage.isFull = false
  openSession(of('tom', true))
  expect(areShortcutsOn()).toBe(true)
})

test.each([true, false])(
  'the other tabs know of a sign-out before they hear that the session is gone, and of one in a full storage at once after it: %s',
  async (hasRoom) => {
    const done: string[] = []
    let isFull = !hasRoom
    vi.stubGlobal('localStorage', {
      getItem: () => null,
      setItem(key: string) {
        if (isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
        done.push(`set ${key}`)
      },
      removeItem(key: string) {
        isFull = false
        done.push(`remove ${key}`)
      },
    })
    vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} })
    vi.stubGlobal('window', { history: { replaceState() {} } })
    vi.stubGlobal('fetch', async () => Response.json({ status: 'OK' }))
    const { signOut } = await import('./session.tsx')
    signOut()
    const [told, gone] = [done.indexOf('set signed_out'), done.indexOf('remove token')]
    expect(told).not.toBe(-1)
    expect(told < gone).toBe(hasRoom)
  },
)
