import { describe, expect, test } from 'vitest'
import { sealUnbound } from '../../test/support/unbound-password.ts'
import { createSeal, hash, ofClient, randomToken } from './seal.ts'

const KEY = Buffer.alloc(32, 1)
const OWNER = ofClient(7)
const seal = createSeal(KEY)
const other = createSeal(Buffer.alloc(32, 2))

describe('a sealed text', () => {
  test.each(['', 'secret-tv', 'é👋', 'x'.repeat(1_000)])('can be read with the same key: %j', (text) => {
    expect(seal.open(seal.close(text, OWNER), OWNER)).toBe(text)
  })

  test('is unreadable, and looks different each time', () => {
    const [one, two] = [seal.close('secret-tv', OWNER), seal.close('secret-tv', OWNER)]
    expect(one.equals(two)).toBe(false)
    expect(one.includes('secret')).toBe(false)
  })

  test('cannot be opened with another key', () => {
    expect(() => other.open(seal.close('secret-tv', OWNER), OWNER)).toThrow()
  })

  test('cannot be opened as the password of another client', () => {
    expect(() => seal.open(seal.close('secret-tv', OWNER), ofClient(8))).toThrow()
  })

  test('has the id of its key in its first bytes, which do not reveal the key', () => {
    expect(seal.close('secret-tv', OWNER).subarray(0, 5)).toEqual(seal.head)
    expect(seal.head).not.toEqual(other.head)
    expect(KEY.includes(seal.head.subarray(1))).toBe(false)
  })

  test('of a version before 0.2.0 can be opened only with the same key', () => {
    const old = sealUnbound('secret-tv', KEY)
    expect(seal.open(old, OWNER)).toBe('secret-tv')
    expect(() => other.open(old, OWNER)).toThrow()
  })

  test('cannot be opened if a bit was changed or its end was cut off', () => {
    const sealed = seal.close('secret-tv', OWNER)
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => seal.open(changed, OWNER), `byte ${at}`).toThrow()
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => seal.open(sealed.subarray(0, length), OWNER), `${length} bytes`).toThrow()
    }
  })
})

test('the HMAC of a body is the same only under the same key', () => {
  expect(seal.hmac('{"a":1}')).toEqual(seal.hmac('{"a":1}'))
  expect(seal.hmac('{"a":1}')).not.toEqual(seal.hmac('{"a":2}'))
  expect(seal.hmac('{"a":1}')).not.toEqual(other.hmac('{"a":1}'))
  expect(seal.hmac('{"a":1}')).not.toEqual(hash('{"a":1}'))
})

test('a token has 256 bits, and no two are alike', () => {
  const tokens = Array.from({ length: 1_000 }, randomToken)
  expect(new Set(tokens).size).toBe(1_000)
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
})
