import { describe, expect, test } from 'vitest'
import { createSeal, hash, randomToken } from './seal.ts'

const seal = createSeal(Buffer.alloc(32, 1))
const other = createSeal(Buffer.alloc(32, 2))

describe('what is sealed', () => {
  test.each(['', 'secret-tv', 'é👋', 'x'.repeat(1_000)])('is read again by the same key: %j', (text) => {
    expect(seal.open(seal.close(text))).toBe(text)
  })

  test('does not show what it is, and looks different each time', () => {
    const [one, two] = [seal.close('secret-tv'), seal.close('secret-tv')]
    expect(one.equals(two)).toBe(false)
    expect(one.includes('secret')).toBe(false)
  })

  test('is not read by another key', () => {
    expect(() => other.open(seal.close('secret-tv'))).toThrow()
  })

  test('is not read where a single bit was changed, or where it is cut', () => {
    const sealed = seal.close('secret-tv')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => seal.open(changed), `byte ${at}`).toThrow()
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => seal.open(sealed.subarray(0, length)), `${length} bytes`).toThrow()
    }
  })
})

test('a body is recognised by the same key alone', () => {
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
