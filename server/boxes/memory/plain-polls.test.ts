import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PlainPoll, PlainPolls } from './plain-polls.ts'

const client = fc.oneof(fc.nat(40), fc.integer({ min: 2 ** 40, max: 2 ** 40 + 40 }))
const poll = fc.record({
  at: fc.integer({ min: -5, max: 10 ** 12 }),
  address: fc.option(fc.constantFrom('192.0.2.1', '2001:db8::1')),
  nonce: fc.stringMatching(/^[0-9A-F]{16}$/),
})

test('the polls in memory have the last poll of each client, whatever was set and deleted', () => {
  const steps = fc.array(fc.tuple(client, fc.option(poll)), { maxLength: 200 })
  const property = fc.property(steps, (steps) => {
    const polls = new PlainPolls()
    const model = new Map<number, PlainPoll>()
    for (const [client, one] of steps) {
      if (one) {
        polls.set(client, one)
        model.set(client, one)
      } else {
        polls.delete(client)
        model.delete(client)
      }
      expect(polls.get(client)).toEqual(model.get(client))
    }
    expect(polls.size).toBe(model.size)
    expect([...polls.clients()].sort()).toEqual([...model.keys()].sort())
    for (const [client, one] of model) expect(polls.get(client)).toEqual(one)
  })
  fc.assert(property)
})

test('the polls in memory hold 5,000 clients though they begin small', () => {
  const polls = new PlainPolls()
  for (let nr = 0; nr < 5_000; nr += 1) polls.set(nr, { at: nr, address: null, nonce: '00000000000000FF' })
  expect(polls.size).toBe(5_000)
  expect(polls.get(4_321)).toEqual({ at: 4_321, address: null, nonce: '00000000000000FF' })
})
