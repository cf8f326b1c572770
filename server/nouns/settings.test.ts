import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS, type Settings } from '../../contract/appearance.ts'
import { calls } from '../../contract/calls.ts'
import { ROLES } from '../../contract/roles.ts'
import { somebodyWaits } from '../../test/support/hold.ts'
import { suiteWorld } from '../../test/support/world.ts'

const world = await suiteWorld()
const people = { admin: world.admin, ...(await world.family()) }

describe.each(ROLES)('the settings of a %s', (role) => {
  const { saveSettings } = calls.desk[role]

  test('are light, left and blue at first, and later as saved', async () => {
    const person = people[role]
    expect((await person.call(calls.session.user)).settings).toEqual(DEFAULT_SETTINGS)
    const chosen: Settings = { mode: 'dark', layout: 'right', preset: 'orange' }
    expect(await person.call(saveSettings, chosen)).toEqual({ status: 'OK' })
    expect((await person.call(calls.session.user)).settings).toEqual(chosen)
  })

  test('are saved one by one too, and those that are not sent stay as they were', async () => {
    const person = people[role]
    const before: Settings = { mode: 'light', layout: 'left', preset: 'red' }
    await person.call(saveSettings, before)
    expect(await person.call(saveSettings, { mode: 'dark' })).toEqual({ status: 'OK' })
    expect(await person.call(saveSettings, { preset: 'aqua' })).toEqual({ status: 'OK' })
    expect(await person.call(saveSettings, {})).toEqual({ status: 'OK' })
    const saved = { ...before, mode: 'dark', preset: 'aqua' }
    expect((await person.call(calls.session.user)).settings).toEqual(saved)
  })

  test('that two devices save at the same time are both kept', async () => {
    const person = people[role]
    await person.call(saveSettings, DEFAULT_SETTINGS)
    const [saves] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from account where id = ${person.id} for update`
      const first = person.call(saveSettings, { mode: 'dark' })
      await somebodyWaits(sql)
      const second = person.call(saveSettings, { layout: 'right' })
      await somebodyWaits(sql, 2)
      return [Promise.all([first, second])]
    })
    await saves
    const saved = { ...DEFAULT_SETTINGS, mode: 'dark', layout: 'right' }
    expect((await person.call(calls.session.user)).settings).toEqual(saved)
  })

  test('that another version has stored are told as far as they are understood, an unknown preset too', async () => {
    const { id } = people[role]
    const stored = [
      [
        { mode: 'dark', layout: 'right', preset: 'mauve' },
        { mode: 'dark', layout: 'right', preset: 'mauve' },
      ],
      [
        { mode: 'dim', layout: 'right' },
        { ...DEFAULT_SETTINGS, layout: 'right' },
      ],
      ['none', DEFAULT_SETTINGS],
    ] as const
    for (const [settings, told] of stored) {
      const { ownerSql } = world.server
      await ownerSql`update account set settings = ${ownerSql.json(settings)} where id = ${id}`
      expect((await people[role].call(calls.session.user)).settings).toEqual(told)
      await people[role].call(saveSettings, { layout: 'right' })
      expect((await people[role].call(calls.session.user)).settings).toEqual({ ...told, layout: 'right' })
    }
  })

  test.each<[string, object]>([
    ['mode', { mode: 'dim' }],
    ['layout', { layout: 'top' }],
    ['preset', { preset: '#ff0000' }],
    ['font', { font: 'Inter' }],
  ])('refuse another value for %s: %j', async (field, wrong) => {
    const answer = await people[role].send(saveSettings, { ...DEFAULT_SETTINGS, ...wrong })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'invalid_input', errors: { [field]: expect.any(String) } })
  })
})
