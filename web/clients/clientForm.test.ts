import { describe, expect, test } from 'vitest'
import type { ClientDetail } from '../../contract/shapes.ts'
import { baseFrom, changesOf, draftFrom, followed, hasDraft, typedOver, valuesOf } from './clientForm.ts'

const CLIENT: ClientDetail = {
  name: 'tv100',
  description: 'Living room',
  mac: '00:1A:79:12:34:56',
  o_mac: '00:1A:79:12:34:56',
  ministra: false,
  expiry: '2026-12-31T23:59:59.000Z',
  status: true,
  password: 'secret',
  alt_player: false,
  phone: '4165550199',
  package_selection: 13,
  locked: false,
  created: '2026-01-01T09:00:00.000Z',
  retrievable: 0,
  retrievals: [],
  trial_retrieval: null,
  tariff_plan: 'English/Sports/No Adults',
  channels: null,
  stb_sn: null,
  stb_type: null,
  version: null,
  watching: null,
  online: false,
  last_active: null,
  last_address: null,
  time_last_play_tv: null,
  time_last_play_video: null,
  last_played_tv_content: null,
  last_played_vod_content: null,
  locked_to_ip: null,
  box_refusal: null,
  box_answered: null,
  near_box: null,
  wrong_login: null,
}

test('the unchanged form of a client sends only its login, which changes nothing', () => {
  expect(changesOf(CLIENT, valuesOf(CLIENT), false)).toEqual({ login: 'tv100' })
})

test('the form of a client sends its login and the changed fields, and months with the expiry that was shown', () => {
  const typed = { ...valuesOf(CLIENT), desc: '', locked: true, months: 3 }
  const { expiry } = CLIENT
  expect(changesOf(CLIENT, typed, false)).toEqual({
    login: 'tv100',
    desc: '',
    locked: true,
    months: 3,
    expiry,
  })
})

test('the form of a client is filled again only where a field has changed, and knows the newest of all else', () => {
  const base = { ...baseFrom(CLIENT, null), seen: CLIENT }
  const online = { ...CLIENT, online: true, expiry: '2027-01-31T23:59:59.000Z' }
  expect(followed(base, online, base.values)).toEqual({ ...base, seen: online })
  expect(followed(base, online, base.values).values).toBe(base.values)
  const renamed = { ...online, description: 'Kitchen' }
  expect(followed(base, renamed, base.values).values).toEqual({ ...base.values, desc: 'Kitchen' })
})

test('the form of a client in which something was typed takes the other values that changed elsewhere', () => {
  const draft = { typed: { desc: 'Attic', months: 2 }, seen: CLIENT }
  const base = { ...baseFrom(CLIENT, draft), seen: CLIENT }
  const now = { ...base.values, stb_mac: '00:1A:79:AB:CD:EF' }
  const expiry = '2027-01-31T23:59:59.000Z'
  const other = { ...CLIENT, description: 'Hall', locked: true, o_mac: '00:1A:79:00:00:01', expiry }
  const { seen, values, isRestored } = followed(base, other, now)
  expect(isRestored).toBe(true)
  expect(values).toEqual({ ...base.values, locked: true })
  expect(seen && changesOf(seen, { ...now, locked: true }, false)).toEqual({
    login: 'tv100',
    desc: 'Attic',
    months: 2,
    expiry: CLIENT.expiry,
    stb_mac: '00:1A:79:AB:CD:EF',
    o_mac: CLIENT.o_mac,
  })
})

test('the form of a client sends a new MAC with the one that was shown', () => {
  const typed = { ...valuesOf(CLIENT), stb_mac: '00:1A:79:AB:CD:EF' }
  expect(changesOf(CLIENT, typed, false)).toEqual({
    login: 'tv100',
    stb_mac: '00:1A:79:AB:CD:EF',
    o_mac: '00:1A:79:12:34:56',
  })
})

test('switching a client to Ministra sends no MAC, whatever the field contains', () => {
  const typed = { ...valuesOf(CLIENT), ministra: true, stb_mac: '00:1A:79:AB' }
  expect(changesOf(CLIENT, typed, false)).toEqual({ login: 'tv100', ministra: true })
})

test('switching a client from Ministra sends the MAC that it then needs', () => {
  const ministra = { ...CLIENT, ministra: true, mac: null, o_mac: null }
  const typed = { ...valuesOf(ministra), ministra: false, stb_mac: '00:1A:79:AB:CD:EF' }
  expect(changesOf(ministra, typed, false)).toEqual({
    login: 'tv100',
    ministra: false,
    stb_mac: '00:1A:79:AB:CD:EF',
    o_mac: null,
  })
})

test.each(['', '4165550199', '0123456789', '14165550199', '551198765432100'])(
  'a phone of %j is shown whole and unchanged',
  (phone) => {
    const client = { ...CLIENT, phone }
    expect(valuesOf(client).phone.replace(/\D/g, '')).toBe(phone)
    expect(changesOf(client, valuesOf(client), false)).toEqual({ login: 'tv100' })
  },
)

test('a reloaded client keeps the values that were typed, which are those that differ from the values shown', () => {
  const fresh = { ...CLIENT, phone: '' }
  const typed = { ...valuesOf(CLIENT), desc: 'Typed' }
  expect({ ...valuesOf(fresh), ...typedOver(CLIENT, typed) }).toEqual({
    ...valuesOf(CLIENT),
    desc: 'Typed',
    phone: '',
  })
})

describe('the draft of a client', () => {
  const typed = { ...valuesOf(CLIENT), desc: 'Attic', months: 2, password: 'other-one' }

  test('contains the typed values without the password, and is null where only the password was typed', () => {
    const { o_mac, expiry } = CLIENT
    expect(draftFrom(CLIENT, typed)).toEqual({ typed: { desc: 'Attic', months: 2 }, seen: { o_mac, expiry } })
    expect(draftFrom(CLIENT, { ...valuesOf(CLIENT), password: 'other-one' })).toBeNull()
  })

  test('is restored over the current client and sent as if its page had stayed open', () => {
    const now = { ...CLIENT, phone: '', expiry: '2027-01-31T23:59:59.000Z' }
    const { seen, values, isRestored } = baseFrom(now, draftFrom(CLIENT, typed))
    expect(isRestored).toBe(true)
    expect(values).toEqual({ ...valuesOf(now), desc: 'Attic', months: 2 })
    expect(seen && changesOf(seen, values, false)).toEqual({
      login: 'tv100',
      desc: 'Attic',
      months: 2,
      expiry: CLIENT.expiry,
    })
  })

  test('keeps the expiry and the MAC that were shown only where it changes them', () => {
    const now = { ...CLIENT, o_mac: '00:1A:79:00:00:01', expiry: '2027-01-31T23:59:59.000Z' }
    const seenOf = (typed: object) => baseFrom(now, draftFrom(CLIENT, { ...valuesOf(CLIENT), ...typed })).seen
    expect(seenOf({ desc: 'Attic' })).toMatchObject({ expiry: now.expiry, o_mac: now.o_mac })
    expect(seenOf({ months: 1 })).toMatchObject({ expiry: CLIENT.expiry, o_mac: now.o_mac })
    expect(seenOf({ stb_mac: '00:1A:79:00:00:09' })).toMatchObject({
      expiry: now.expiry,
      o_mac: CLIENT.o_mac,
    })
  })

  test('is empty where the client has the same values by now', () => {
    const now = { ...CLIENT, description: 'Attic' }
    expect(baseFrom(now, draftFrom(CLIENT, { ...typed, months: 0 }))).toEqual({
      seen: now,
      values: valuesOf(now),
      isRestored: false,
    })
  })

  test('is known among what was sent with the space that a phone adds, which is sent as it was typed', () => {
    const withSpace = { ...valuesOf(CLIENT), desc: 'Attic ' }
    const draft = draftFrom(CLIENT, withSpace)
    expect(draft && hasDraft(changesOf(CLIENT, withSpace, false), 'tv100', draft)).toBe(true)
  })

  test('stays whole for an expired client, of which only the months are sent', () => {
    const draft = draftFrom(CLIENT, typed)
    const { seen, values } = baseFrom(CLIENT, draft)
    expect(values).toEqual({ ...valuesOf(CLIENT), desc: 'Attic', months: 2 })
    const renewal = { login: 'tv100', months: 2, expiry: CLIENT.expiry }
    expect(seen && changesOf(seen, values, true)).toEqual(renewal)
    expect(draft && hasDraft(renewal, 'tv100', draft)).toBe(true)
    expect(draft && hasDraft({ ...renewal, months: 3 }, 'tv100', draft)).toBe(false)
    expect(draft && hasDraft({ login: 'tv100', desc: 'Attic' }, 'tv100', draft)).toBe(false)
  })
})
