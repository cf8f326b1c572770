import { beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { type Person, suiteWorld } from '../../test/support/world.ts'

const { savePreferences, user } = calls.session

let dealer: Person
const world = await suiteWorld()
beforeAll(async () => {
  dealer = (await world.family()).dealer
})

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

  test('of tables and filters are merged, as two tabs send them, and null removes one', async () => {
    const dealer = (await world.family()).dealer
    const again = await world.again(dealer)
    await Promise.all([
      dealer.call(savePreferences, { tables: { clients: { rows: 25, columns: { phone: true } } } }),
      again.call(savePreferences, { tables: { clients: { dense: false }, due: { rows: 50 } } }),
      dealer.call(savePreferences, { filters: { 'Late ones': { filter: 'expired', sort: 'expiry' } } }),
      again.call(savePreferences, { filters: { Hall: { search: 'hall' } } }),
    ])
    await again.call(savePreferences, { tables: { clients: { columns: { package: true } } } })
    expect((await dealer.call(user)).preferences).toEqual({
      tables: {
        clients: { rows: 25, dense: false, columns: { phone: true, package: true } },
        due: { rows: 50 },
      },
      filters: { 'Late ones': { filter: 'expired', sort: 'expiry' }, Hall: { search: 'hall' } },
    })
    await dealer.call(savePreferences, { filters: { Hall: null } })
    expect((await dealer.call(user)).preferences.filters).toEqual({
      'Late ones': { filter: 'expired', sort: 'expiry' },
    })
  })

  test('of a table that another release knows more of are read as far as this one knows them', async () => {
    const dealer = (await world.family()).dealer
    const { ownerSql, sql } = world.server
    const clients = { rows: 25, order: 'sideways', zoom: 2, columns: { phone: true, shoe: 'left' } }
    const stored = {
      tables: { clients, 'a b': { rows: 5 } },
      filters: { odd: { filter: 'purple', search: 'x' } },
    }
    await ownerSql`update account set preferences = ${ownerSql.json(stored)} where id = ${dealer.id}`
    expect((await dealer.call(user)).preferences).toEqual({
      tables: { clients: { rows: 25, columns: { phone: true } } },
      filters: { odd: { search: 'x' } },
    })
    await dealer.call(savePreferences, { tables: { clients: { dense: true } } })
    const [row] = await sql<
      { preferences: object }[]
    >`select preferences from account where id = ${dealer.id}`
    expect(row?.preferences).toEqual({
      ...stored,
      tables: { ...stored.tables, clients: { ...clients, dense: true } },
    })
    for (const wrong of [{ zoom: 2 }, { order: 'sideways' }, { rows: 0 }]) {
      const { status } = await dealer.send(savePreferences, { tables: { clients: wrong } })
      expect(status, JSON.stringify(wrong)).toBe(400)
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

  test('of thousands of short entries are measured as they are stored', async () => {
    const filters = Object.fromEntries(Array.from({ length: 2_900 }, (_, nr) => [`a${nr}`, {}]))
    const { dealer } = await world.family()
    const { message } = await dealer.refused('invalid_input', savePreferences, { filters })
    expect(message).toBe('Your preferences take more than 32 kB.')
  })
})
