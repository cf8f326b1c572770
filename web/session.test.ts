import { afterEach, expect, test, vi } from 'vitest'
import type { calls, OutputOf } from '../contract/calls.ts'

afterEach(() => vi.unstubAllGlobals())

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
  const answer = { token: 'x', name: 'mia', role: 'dealer', settings: {}, preferences: {} }
  expect(() => openSession(answer as unknown as OutputOf<typeof calls.session.login>)).toThrow(NotStored)
  await expect.poll(() => asked).toEqual(['/v1/logout'])
})
