import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { openWorld, type Person, type World } from '../../test/support/world.ts'

const { savePreferences, user } = calls.session

let world: World
let dealer: Person
beforeAll(async () => {
  world = await openWorld()
  dealer = (await world.family()).dealer
})
afterAll(() => world.close())

describe("an account's preferences", () => {
  test('are none at first, then as saved, in every later session', async () => {
    expect((await dealer.call(user)).preferences).toEqual({})
    await dealer.call(savePreferences, { shortcuts: false })
    await dealer.call(savePreferences, {})
    expect((await dealer.call(user)).preferences).toEqual({ shortcuts: false })
    expect((await (await world.again(dealer)).call(user)).preferences).toEqual({ shortcuts: false })
    expect((await world.admin.call(user)).preferences).toEqual({})
  })

  test('of another release stay stored and are ignored, and are refused when sent', async () => {
    const stored = { shortcuts: 'perhaps', sounds: 'loud' }
    await world.server.ownerSql`
      update account set preferences = ${world.server.ownerSql.json(stored)} where id = ${dealer.id}`
    expect((await dealer.call(user)).preferences).toEqual({})
    const { errors } = (await dealer.send(savePreferences, { sounds: 'loud' })).body as { errors: object }
    expect(errors).toHaveProperty('sounds')
    await dealer.call(savePreferences, { shortcuts: true })
    const [row] = await world.server.sql<{ preferences: object }[]>`
      select preferences from account where id = ${dealer.id}`
    expect(row?.preferences).toEqual({ shortcuts: true, sounds: 'loud' })
  })

  test('have a text for reminders without a field for a password', async () => {
    const reminder = 'Dear {name}, until {expiry}'
    await dealer.call(savePreferences, { reminder })
    expect((await dealer.call(user)).preferences).toMatchObject({ reminder })
    for (const wrong of ['{password}', '{ Password }', 'x'.repeat(501), 'a\0b']) {
      const { errors } = await dealer.refused('invalid_input', savePreferences, { reminder: wrong })
      expect(errors, wrong).toHaveProperty('reminder')
    }
  })

  test('take at most 32 kB', async () => {
    const full = { old: 'x'.repeat(32_700) }
    await world.server.ownerSql`
      update account set preferences = ${world.server.ownerSql.json(full)} where id = ${dealer.id}`
    await dealer.call(savePreferences, { shortcuts: true })
    const fuller = { old: 'x'.repeat(32_755) }
    await world.server.ownerSql`
      update account set preferences = ${world.server.ownerSql.json(fuller)} where id = ${dealer.id}`
    const { message } = await dealer.refused('invalid_input', savePreferences, { shortcuts: true })
    expect(message).toBe('Your preferences take more than 32 kB.')
  })
})
