import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readSecretKey } from './secret.ts'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'boxtree-secret-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('the secret key', () => {
  test('is made once, in a file that only its owner can read', () => {
    const key = readSecretKey({ secretKey: null, dataDir })
    expect(key).toHaveLength(32)
    expect(readSecretKey({ secretKey: null, dataDir })).toEqual(key)
    expect(lstatSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
  })

  test('that is configured is not written to a file', () => {
    const secretKey = Buffer.alloc(32, 1)
    expect(readSecretKey({ secretKey, dataDir })).toBe(secretKey)
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('is never replaced if the file contains something else', () => {
    writeFileSync(join(dataDir, 'secret-key'), '')
    expect(() => readSecretKey({ secretKey: null, dataDir })).toThrow('does not hold a key')
  })
})
