import { describe, expect, test } from 'vitest'
import type { ClientDetail } from '../../contract/shapes.ts'
import { baseFrom, changesOf, draftFrom, typedOver, valuesOf } from './clientForm.ts'

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
  stb_sn: null,
  stb_type: null,
  version: null,
  watching: null,
  online: false,
  last_active: null,
  time_last_play_tv: null,
  time_last_play_video: null,
  last_played_tv_content: null,
  last_played_vod_content: null,
  locked_to_ip: null,
}

test('a form that was left as it was filled sends the login alone, which changes nothing', () => {
  expect(changesOf(CLIENT, valuesOf(CLIENT))).toEqual({ login: 'tv100' })
})

test('only what was changed is sent, with the login, and months with the expiry that was seen', () => {
  const typed = { ...valuesOf(CLIENT), desc: '', locked: true, months: 3 }
  const { expiry } = CLIENT
  expect(changesOf(CLIENT, typed)).toEqual({ login: 'tv100', desc: '', locked: true, months: 3, expiry })
})

test('a new MAC goes with the one that was seen', () => {
  const typed = { ...valuesOf(CLIENT), stb_mac: '00:1A:79:AB:CD:EF' }
  expect(changesOf(CLIENT, typed)).toEqual({
    login: 'tv100',
    stb_mac: '00:1A:79:AB:CD:EF',
    o_mac: '00:1A:79:12:34:56',
  })
})

test('a switch to Ministra sends no MAC, whatever stands in its field', () => {
  const typed = { ...valuesOf(CLIENT), ministra: true, stb_mac: '00:1A:79:AB' }
  expect(changesOf(CLIENT, typed)).toEqual({ login: 'tv100', ministra: true })
})

test('a switch away from Ministra sends the MAC that it needs', () => {
  const ministra = { ...CLIENT, ministra: true, mac: null, o_mac: null }
  const typed = { ...valuesOf(ministra), ministra: false, stb_mac: '00:1A:79:AB:CD:EF' }
  expect(changesOf(ministra, typed)).toEqual({
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
    expect(changesOf(client, valuesOf(client))).toEqual({ login: 'tv100' })
  },
)

test('what was typed is told from what was seen, so that a reload can keep it', () => {
  const fresh = { ...CLIENT, phone: '' }
  const typed = { ...valuesOf(CLIENT), desc: 'Typed' }
  expect({ ...valuesOf(fresh), ...typedOver(CLIENT, typed) }).toEqual({
    ...valuesOf(CLIENT),
    desc: 'Typed',
    phone: '',
  })
})

describe('a draft', () => {
  const typed = { ...valuesOf(CLIENT), desc: 'Attic', months: 2, password: 'other-one' }

  test('has what was typed without the password, and nothing where nothing else was', () => {
    const { o_mac, expiry } = CLIENT
    expect(draftFrom(CLIENT, typed)).toEqual({ typed: { desc: 'Attic', months: 2 }, seen: { o_mac, expiry } })
    expect(draftFrom(CLIENT, { ...valuesOf(CLIENT), password: 'other-one' })).toBeNull()
  })

  test('comes back over what the client is by now, to be sent as if its page had stayed open', () => {
    const now = { ...CLIENT, phone: '', expiry: '2027-01-31T23:59:59.000Z' }
    const { seen, values, isBack } = baseFrom(now, draftFrom(CLIENT, typed), false)
    expect(isBack).toBe(true)
    expect(values).toEqual({ ...valuesOf(now), desc: 'Attic', months: 2 })
    expect(seen && changesOf(seen, values)).toEqual({
      login: 'tv100',
      desc: 'Attic',
      months: 2,
      expiry: CLIENT.expiry,
    })
  })

  test('is none where the client is like it by now, and months alone of one that has expired', () => {
    const now = { ...CLIENT, description: 'Attic' }
    expect(baseFrom(now, draftFrom(CLIENT, { ...typed, months: 0 }), false)).toEqual({
      seen: now,
      values: valuesOf(now),
      isBack: false,
    })
    expect(baseFrom(CLIENT, draftFrom(CLIENT, typed), true).values).toEqual({
      ...valuesOf(CLIENT),
      months: 2,
    })
  })
})
