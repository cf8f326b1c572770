import { afterEach, beforeEach, expect, test, vi } from 'vitest'

let me: string | null
/** What the server has. */
let stored: object
/** Whether it can be reached. */
let isThere: boolean
/** Is called while a save is under way. */
let meanwhile: () => void

vi.mock('./session.tsx', () => ({ signedInAs: () => me }))

beforeEach(() => {
  vi.resetModules()
  me = 'mia'
  stored = {}
  isThere = true
  meanwhile = () => {}
  vi.stubGlobal('localStorage', { setItem() {}, getItem: () => null })
  vi.stubGlobal('fetch', async (url: string) => {
    if (url === '/v1/api/user') return Response.json({ preferences: stored })
    meanwhile()
    if (!isThere) throw new TypeError('Failed to fetch')
    return Response.json({ status: 'OK' })
  })
})

afterEach(() => vi.unstubAllGlobals())

const A = { filters: { A: { search: 'a' } } }
const B = { filters: { B: { search: 'b' } } }

async function load() {
  const { savePreferences, askForPreferences } = await import('./savePreferences.ts')
  const fail = async (change: object) => {
    isThere = false
    await savePreferences(change).catch(() => {})
    isThere = true
  }
  return { savePreferences, askForPreferences, fail }
}

test('what could not be saved holds beside what the server tells', async () => {
  const { askForPreferences, fail } = await load()
  await fail(A)
  stored = B
  expect(await askForPreferences()).toEqual({ filters: { ...A.filters, ...B.filters } })
})

test('what could not be saved as somebody signed out is not shown to who signs in next', async () => {
  const { askForPreferences, fail } = await load()
  meanwhile = () => {
    me = 'tom'
  }
  await fail(A)
  expect(await askForPreferences()).toEqual({})
})

test('what was saved after something that could not be is followed on another device', async () => {
  const { savePreferences, askForPreferences, fail } = await load()
  await fail({ ...A, shortcuts: false })
  await savePreferences({ shortcuts: true, reminder: 'Here' })
  stored = { shortcuts: false, reminder: 'There' }
  expect(await askForPreferences()).toEqual({ ...A, ...stored })
  await savePreferences({ filters: { A: null } })
  expect(await askForPreferences()).toEqual({ ...stored, filters: {} })
})
