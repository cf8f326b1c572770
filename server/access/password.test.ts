import { createHook } from 'node:async_hooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { freshDatabase } from '../../test/support/database.ts'
import { begin } from '../postgres/begin.ts'
import { hashPassword, isPassword } from './password.ts'

afterEach(() => {
  vi.useRealTimers()
})

const stranger = (network: string) => ({ network, gone: null })

describe('a password', () => {
  test('is recognised by its hash, and no other is', async () => {
    const hash = await hashPassword('pässword 👋', null)
    expect(await isPassword('pässword 👋', hash, null)).toBe(true)
    for (const other of ['', 'pässword', 'Pässword 👋', 'pässword 👋 ', 'passwörd 👋']) {
      expect(await isPassword(other, hash, null)).toBe(false)
    }
  })

  test('cannot be hashed inside a transaction', async () => {
    const { sql, drop } = await freshDatabase()
    const hash = await hashPassword('some password', null)
    const refused = 'A password is hashed before the transaction'
    await expect(begin(sql, () => hashPassword('another', null))).rejects.toThrow(refused)
    await expect(begin(sql, () => isPassword('a guess', hash, null))).rejects.toThrow(refused)
    expect(await begin(sql, async () => 'done')).toBe('done')
    await hashPassword('after it', null)
    await drop()
  })

  test('has a new salt each time', async () => {
    const [one, two] = await Promise.all([hashPassword('the same', null), hashPassword('the same', null)])
    expect(one).not.toBe(two)
  })

  test('is never right without a stored hash, not even the password of the stand-in hash', async () => {
    for (const password of ['', '\0', 'anything'])
      expect(await isPassword(password, undefined, null)).toBe(false)
  })

  test('is hashed for unknown names too, and at most two are hashed at once', async () => {
    const jobs = new Set<number>()
    let all = 0
    let most = 0
    const hook = createHook({
      init(id, type) {
        if (!/argon2/i.test(type)) return
        jobs.add(id)
        all += 1
        most = Math.max(most, jobs.size)
      },
      after: (id) => jobs.delete(id),
    }).enable()
    const hash = await hashPassword('some password', null)
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        isPassword('a guess', index % 2 ? hash : undefined, stranger(`n${index}`)),
      ),
    )
    hook.disable()
    expect([all, most]).toEqual([9, 2])
  })

  test('is hashed for networks in turn, and for who is signed in at once, however many strangers wait', async () => {
    const ended: string[] = []
    const check = (name: string, asker: Parameters<typeof isPassword>[2]) =>
      isPassword('a guess', undefined, asker).then(() => ended.push(name))
    // On a slow machine the last of the strangers wait too long, and are refused.
    const flooding = (address: string) => check('flood', stranger(address)).catch(() => {})
    const flood = Array.from({ length: 20 }, () => flooding('192.0.2.1'))
    const other = check('other', stranger('192.0.2.2'))
    const networks = Array.from({ length: 20 }, (_, at) => flooding(`198.51.100.${at}`))
    const account = { id: 7, name: 'ann', role: 'dealer' } as const
    await check('signed in', { ...stranger('192.0.2.1'), account })
    expect(ended.length).toBeLessThan(8)
    await other
    expect(ended.length).toBeLessThan(16)
    await Promise.all([...flood, ...networks])
  })

  test('is not hashed for a caller who has disconnected, or has waited for ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const all = Array.from({ length: 2 }, () => isPassword('a guess', undefined, stranger('192.0.2.1')))
    const gone = new AbortController()
    const left = isPassword('a guess', undefined, { network: '192.0.2.3', gone: gone.signal })
    const late = isPassword('a guess', undefined, stranger('192.0.2.4'))
    gone.abort()
    await expect(left).rejects.toThrow('Nobody waits for this any more.')
    vi.advanceTimersByTime(10_000)
    await expect(late).rejects.toMatchObject({ code: 'unavailable', retryAfter: 10 })
    await Promise.all(all)
  })
})
