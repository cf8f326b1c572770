import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS, type Settings } from '../../contract/appearance.ts'
import { calls } from '../../contract/calls.ts'
import { ROLES } from '../../contract/roles.ts'
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
    }
  })

  test.each<[string, object]>([
    ['mode', { mode: 'dim' }],
    ['layout', { layout: 'top' }],
    ['preset', { preset: '#ff0000' }],
    ['font', { font: 'Inter' }],
    ['mode', { mode: undefined }],
  ])('refuse another value for %s: %j', async (field, wrong) => {
    const answer = await people[role].send(saveSettings, { ...DEFAULT_SETTINGS, ...wrong })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'invalid_input', errors: { [field]: expect.any(String) } })
  })
})
