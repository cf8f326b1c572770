import { expect, test, vi } from 'vitest'
import { servePlaylist } from '../../../test/support/playlist.ts'
import { downloadPlaylist } from './download.ts'

// The name that is checked here leads nowhere for whoever asks again.
vi.mock('node:dns/promises', () => ({
  lookup: (name: string) =>
    name === 'silent.invalid'
      ? new Promise(() => {})
      : Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
}))

test('a playlist comes from the address that was checked, and its name is not looked up again', async () => {
  const served = await servePlaylist('#EXTM3U')
  const address = served.address.replace('127.0.0.1', 'checked.invalid')
  const checked: string[] = []
  const mayAsk = (address: string) => checked.push(address) > 0
  expect((await downloadPlaylist(address, { mayAsk, signal: null })).toString()).toBe('#EXTM3U')
  expect(checked).toEqual(['127.0.0.1'])
})

test('a name whose servers do not answer is waited for no longer than a playlist', async () => {
  const limit = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
  const refused = expect(
    downloadPlaylist('http://silent.invalid/', { mayAsk: () => true, signal: null }),
  ).rejects.toThrow('did not arrive within 60 seconds')
  limit.abort()
  await refused
  timeout.mockRestore()
})
