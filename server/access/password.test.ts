import { createHook } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { freshDatabase } from '../../test/support/database.ts'
import { begin } from '../postgres/begin.ts'
import { hashPassword, isPassword } from './password.ts'

describe('a password', () => {
  test('is recognised by its hash, and no other is', async () => {
    const hash = await hashPassword('pässword 👋')
    expect(await isPassword('pässword 👋', hash)).toBe(true)
    for (const other of ['', 'pässword', 'Pässword 👋', 'pässword 👋 ', 'passwörd 👋']) {
      expect(await isPassword(other, hash)).toBe(false)
    }
  })

  test('cannot be hashed inside a transaction', async () => {
    const { sql, drop } = await freshDatabase()
    const hash = await hashPassword('some password')
    const refused = 'A password is hashed before the transaction'
    await expect(begin(sql, () => hashPassword('another'))).rejects.toThrow(refused)
    await expect(begin(sql, () => isPassword('a guess', hash))).rejects.toThrow(refused)
    expect(await begin(sql, async () => 'done')).toBe('done')
    await hashPassword('after it')
    await drop()
  })

  test('has a new salt each time', async () => {
    const [one, two] = await Promise.all([hashPassword('the same'), hashPassword('the same')])
    expect(one).not.toBe(two)
  })

  test('is never right without a stored hash, not even the password of the stand-in hash', async () => {
    for (const password of ['', '\0', 'anything']) expect(await isPassword(password, undefined)).toBe(false)
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
    const hash = await hashPassword('some password')
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => isPassword('a guess', index % 2 ? hash : undefined)),
    )
    hook.disable()
    expect([all, most]).toEqual([9, 2])
  })
})
