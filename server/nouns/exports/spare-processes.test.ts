import { fork } from 'node:child_process'
import { afterEach, expect, test, vi } from 'vitest'
import { endSpares, keepSpares, takeProcess } from './spare-processes.ts'

vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>()
  return { ...real, fork: vi.fn(real.fork) }
})

afterEach(() => endSpares())

test('a machine without memory for another process ends neither the console nor a process that is ready', () => {
  keepSpares()
  const noMemory = Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
  // Node throws this one instead of an event.
  vi.mocked(fork).mockImplementation(() => {
    throw noMemory
  })
  const ready = takeProcess()
  expect(ready.pid).toBeGreaterThan(0)
  keepSpares()
  const second = takeProcess()
  expect(second.pid).toBeGreaterThan(0)
  expect(() => takeProcess()).toThrow(noMemory)
  for (const process of [ready, second]) process.kill('SIGKILL')
})
