import { expect, test } from 'vitest'
import { timesAsLong } from '../../test/support/ratio.ts'
import { suiteWorld } from '../../test/support/world.ts'
import { encodingFor } from '../compression.ts'

const world = await suiteWorld()
const { dealer } = await world.family()
for (let made = 0; made < 20; made += 1) await world.client(dealer)

const LONG = '/v1/api/clients?per_page=50'
const SHORT = '/v1/api/credits'

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['BR ; q=1', 'br'],
  ['deflate', undefined],
  ['gzip;q=0.0', undefined],
])('a long answer to a caller that accepts %j is sent as %j', async (accepted, encoding) => {
  const { headers } = await get(LONG, accepted)
  expect(headers['content-encoding']).toBe(encoding)
  expect(headers.vary).toBe('accept-encoding')
})

test('a compressed answer has at most a quarter of the bytes, and the same content', async () => {
  const plain = await get(LONG, 'identity')
  const small = await get(LONG, 'br')
  expect(small.headers['content-length']).toBe(String(small.rawPayload.length))
  expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
  const read = await fetch(world.server.url + LONG, { headers: { 'access-token': dealer.token } })
  expect(await read.json()).toEqual(plain.json())
})

test.each([' ', '\t'])('a header of 15,000 times %j is read as quickly as one of letters', (space) => {
  const read = (letter: string) => () =>
    encodingFor({ headers: { 'accept-encoding': `x${letter.repeat(15_000)}x` } })
  expect(timesAsLong(read(space), read('x'))).toBeLessThan(50)
})

test('an answer that fits into one packet is not compressed', async () => {
  const { headers } = await get(SHORT, 'br')
  expect(headers['content-encoding']).toBeUndefined()
})

function get(url: string, accepted: string) {
  return world.server.app.inject({
    url,
    headers: { 'access-token': dealer.token, 'accept-encoding': accepted },
  })
}
