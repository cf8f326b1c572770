import { expect, test } from 'vitest'
import { ClientLogin, ClientPassword } from '../../contract/clients.ts'
import { suggestLogin, suggestPassword } from './suggest.ts'

/** Groups of characters that people take for one another on a screen or on paper. */
const LOOK_ALIKE = /[0oOqQ9g1lIi|2zZ5sS8bB6GuvUVmM]/

test('suggestions are valid, differ from each other, and have no characters that look alike', () => {
  const logins = Array.from({ length: 500 }, suggestLogin)
  const passwords = Array.from({ length: 500 }, suggestPassword)
  for (const login of logins) expect(ClientLogin.safeParse(login).success, login).toBe(true)
  for (const password of passwords) expect(ClientPassword.safeParse(password).success, password).toBe(true)
  for (const text of [...logins, ...passwords]) expect(text).not.toMatch(LOOK_ALIKE)
  // Now and then two of so many are the same by chance.
  expect(new Set([...logins, ...passwords]).size).toBeGreaterThan(995)
})
