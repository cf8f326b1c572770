import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { SECRET_KEY } from '../../test/support/server.ts'
import { storeOrCheckKey } from '../access/key-check.ts'
import { createSeal } from '../access/seal.ts'
import { readKeyOfBackup } from '../access/secret-key.ts'
import { KEY, readManifest } from './archive.ts'
import { takeBackup } from './take.ts'

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  linkSync: () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', path: 'draft' })
  },
}))

let database: FreshDatabase
const parent = freshFolder()
beforeAll(async () => {
  database = await freshDatabase()
  await storeOrCheckKey(database.sql, createSeal(SECRET_KEY))
})
afterAll(async () => {
  await database.drop()
  rmSync(parent, { recursive: true, force: true })
})

test('a backup can be made on a disk without hard links, such as one with FAT', async () => {
  const folder = join(parent, 'backup')
  await takeBackup({ owner: database.owner, key: SECRET_KEY, timeZone: 'UTC', folder, say: () => {} })
  expect(readKeyOfBackup(join(folder, KEY))).toEqual(SECRET_KEY)
  expect(readManifest(folder).tables.length).toBeGreaterThan(20)
})
