import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, lstatSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isRoot } from '../../test/support/needs.ts'
import { findOrMakeSecretKey, readKeyFile } from './secret-key.ts'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'boxtree-secret-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('the secret key', () => {
  test('is made once, in a file that only its owner can read', () => {
    const key = findOrMakeSecretKey({ secretKey: null, dataDir })
    expect(key).toHaveLength(32)
    expect(findOrMakeSecretKey({ secretKey: null, dataDir })).toEqual(key)
    expect(lstatSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
  })

  test('that is configured is not written to a file', () => {
    const secretKey = Buffer.alloc(32, 1)
    expect(findOrMakeSecretKey({ secretKey, dataDir })).toBe(secretKey)
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('is never replaced if the file contains something else', () => {
    writeFileSync(join(dataDir, 'secret-key'), '')
    expect(() => findOrMakeSecretKey({ secretKey: null, dataDir })).toThrow('does not hold a key')
  })

  test.each(['secret-key', 'secret-key.next'])('in %s is refused where that is a link', (name) => {
    const [file, kept] = [join(dataDir, name), join(dataDir, 'elsewhere')]
    writeFileSync(kept, Buffer.alloc(32, 1).toString('base64'))
    symlinkSync(kept, file)
    expect(() => readKeyFile(file)).toThrow(`${file} must be a plain file that belongs to`)
  })

  // In its own process, because one that waits for a pipe does nothing else.
  test('is refused where the file is a pipe, instead of waiting for somebody who writes', () => {
    const file = join(dataDir, 'secret-key')
    execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', file])
    const reading = `
      import { readKeyFile } from '${new URL('./secret-key.ts', import.meta.url)}'
      readKeyFile(process.argv[1])`
    const args = ['--input-type=module', '-e', reading, file]
    const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 })
    expect(stderr).toContain(`${file} must be a plain file that belongs to`)
  })

  test.runIf(isRoot('The test of a secret key that another user owns'))(
    'is refused where the file belongs to another user',
    () => {
      const file = join(dataDir, 'secret-key')
      writeFileSync(file, Buffer.alloc(32, 1).toString('base64'))
      chownSync(file, 65_534, 65_534)
      expect(() => findOrMakeSecretKey({ secretKey: null, dataDir })).toThrow(`${file} must be a plain file`)
    },
  )
})
