import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { read } from './read-in-thread.ts'

afterEach(() => {
  vi.useRealTimers()
})

function playlist(text: string) {
  return { bytes: Buffer.from(`#EXTM3U\n${text}`), isCompressed: false }
}

const nothing = async () => ({ inUse: null, known: [], set: [] })

test('a playlist that is a file of gzip itself is unpacked, also where it was compressed once more on the way', async () => {
  const file = gzipSync('#EXTM3U\n#EXTINF:-1,One\nhttp://streams.example/one')
  expect((await read({ bytes: file, isCompressed: false }, nothing)).keys).toHaveLength(1)
  expect((await read({ bytes: gzipSync(file), isCompressed: true }, nothing)).keys).toHaveLength(1)
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, '#'))
  await expect(read({ bytes: bomb, isCompressed: false }, nothing)).rejects.toThrow('at most 64 MB')
})

test('a playlist of less than 64 MB that takes more memory than there is for it is refused', async () => {
  await expect(read(playlist('\n'.repeat(24_000_000)), nothing)).rejects.toMatchObject({
    message: 'This cannot be read as a playlist of at most 64 MB.',
    cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
  })
  // The next one has a thread of its own.
  expect((await read(playlist('#EXTINF:-1,One\nhttp://streams.example/one'), nothing)).keys).toHaveLength(1)
})

test('a playlist that takes longer than a minute to read is refused then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reading = read(playlist('#EXTINF:-1,\n'.repeat(2_000_000)), nothing)
  const refused = expect(reading).rejects.toThrow('This playlist cannot be read within 60 seconds.')
  while (vi.getTimerCount() === 0) await new Promise(setImmediate)
  vi.advanceTimersByTime(59_999)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1)
  await refused
})
