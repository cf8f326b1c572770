import { expect, test, vi } from 'vitest'
import { installWorker } from './installWorker.ts'

test('a page that several people sign in to one after the other tells the service worker once what it has loaded', async () => {
  vi.stubEnv('PROD', true)
  const postMessage = vi.fn()
  vi.stubGlobal('navigator', {
    serviceWorker: { register: async () => {}, ready: Promise.resolve({ active: { postMessage } }) },
  })
  vi.stubGlobal('window', { location: new URL('https://boxtree.example/') })
  const tell: ((list: object) => void)[] = []
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      constructor(told: (list: object) => void) {
        tell.push(told)
      }
      observe() {}
    },
  )
  for (let logins = 0; logins < 2; logins += 1) await installWorker()
  const loaded = ['https://boxtree.example/assets/shell.js', 'https://boxtree.example/v1/user']
  for (const told of tell) told({ getEntries: () => loaded.map((name) => ({ name })) })
  expect(postMessage.mock.calls).toEqual([[['https://boxtree.example/assets/shell.js']]])
})
