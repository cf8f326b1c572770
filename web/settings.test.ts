import { expect, test, vi } from 'vitest'

test('settings that the server has saved count as saved, though the browser has no room for them', async () => {
  const setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  vi.stubGlobal('localStorage', { getItem: () => null, setItem })
  const { keepSettings, settingsSaved } = await import('./settings.ts')
  expect(() => settingsSaved({ mode: 'dark' })).not.toThrow()
  const { DEFAULT_SETTINGS } = await import('../contract/appearance.ts')
  expect(() => keepSettings(DEFAULT_SETTINGS)).not.toThrow()
})
