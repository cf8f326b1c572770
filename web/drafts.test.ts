import { beforeEach, expect, test, vi } from 'vitest'
import {
  CREDIT_REQUEST,
  clientForm,
  draftOf,
  dropDrafts,
  dropSent,
  keepDraft,
  otherTabHasDrafts,
  titlesOfDrafts,
} from './drafts.ts'

const FORM = clientForm('tv-1')
const seen = { expiry: '2026-05-10T23:59:59.000Z', o_mac: null }

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  })
})

/** Returns what is left of a draft once a call has sent an input. */
function left(typed: object, input: object) {
  keepDraft('mia', FORM, { typed, seen })
  dropSent('mia', FORM, { login: 'tv-1', ...input })
  return draftOf('mia', FORM)
}

test('what a call has sent of a draft is dropped, and what was typed otherwise since or was not sent stays', () => {
  expect(left({ desc: 'Attic', months: 1 }, { desc: 'Attic', months: 1, expiry: seen.expiry })).toBeNull()
  expect(left({ desc: 'Attic', months: 1 }, { months: 1, expiry: seen.expiry })).toEqual({
    ...{ typed: { desc: 'Attic' }, seen },
  })
  expect(left({ desc: 'Attic', months: 2 }, { desc: 'Attic', months: 1 })).toEqual({
    typed: { months: 2 },
    seen,
  })
  expect(left({ phone: '1', desc: 'Attic' }, { phone: '1' })).toEqual({ typed: { desc: 'Attic' }, seen })
})

test('a MAC that was typed before a client became one of Ministra is dropped with it', () => {
  const stb_mac = '00:1A:79:AB:CD:EF'
  expect(left({ stb_mac, ministra: true }, { ministra: true })).toBeNull()
  expect(left({ stb_mac }, { desc: 'Attic' })).toEqual({ typed: { stb_mac }, seen })
})

test('the screens with drafts of an account are named, and not those of another', () => {
  keepDraft('mia', FORM, { typed: {}, seen })
  keepDraft('mia', CREDIT_REQUEST, { note: 'Soon' })
  keepDraft('ana', clientForm('tv-2'), { typed: {}, seen })
  expect(titlesOfDrafts('mia')).toEqual(['Update Client: tv-1', 'Credit Requests'])
  expect(titlesOfDrafts('tom')).toEqual([])
})

test('another tab has drafts also where this one has some of an account whose session ended', async () => {
  dropDrafts()
  let others = 0
  let ours = 0
  const request = (_: string, __: object, hold: () => Promise<void>) => {
    ours += 1
    return hold().then(() => (ours -= 1))
  }
  const query = async () => ({ held: Array.from({ length: ours + others }, () => ({ name: 'drafts' })) })
  vi.stubGlobal('navigator', { locks: { request, query } })
  expect(await otherTabHasDrafts()).toBe(false)
  keepDraft('ana', FORM, { typed: {}, seen })
  expect(await otherTabHasDrafts()).toBe(false)
  others = 1
  expect(await otherTabHasDrafts()).toBe(true)
  keepDraft('ana', FORM, null)
  await Promise.resolve()
  expect(await otherTabHasDrafts()).toBe(true)
  others = 0
  expect(await otherTabHasDrafts()).toBe(false)
})
