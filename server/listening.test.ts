import dns from 'node:dns'
import Fastify from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { listen } from './listening.ts'

afterEach(() => void vi.restoreAllMocks())

test('on localhost a server has one address, also where the machine has two of that name', async () => {
  vi.spyOn(dns, 'lookup').mockImplementation(twoOfThatName as typeof dns.lookup)
  const app = Fastify()
  await listen(app, { host: 'localhost', port: 0, variable: 'PORT' })
  expect(app.addresses()).toEqual([expect.objectContaining({ address: '127.0.0.1' })])
  await app.close()
})

/** Does what `dns.lookup` does, with two addresses that every Linux has. */
function twoOfThatName(host: string, ...rest: unknown[]): void {
  const done = rest.at(-1) as (error: null, found: unknown, family?: number) => void
  const wantsAll = typeof rest[0] === 'object' && (rest[0] as { all?: boolean }).all
  const found = host === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [host]
  if (wantsAll)
    process.nextTick(() =>
      done(
        null,
        found.map((address) => ({ address, family: 4 })),
      ),
    )
  else process.nextTick(() => done(null, found[0], 4))
}
