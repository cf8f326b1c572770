import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../test/support/folder.ts'
import { requireDatabase } from './database.ts'

let parent: string
beforeEach(() => {
  parent = freshFolder()
})
afterEach(() => rmSync(parent, { recursive: true }))

test('a command says whether there is no database or one may not look for it', () => {
  const [none, closed] = [join(parent, 'none'), join(parent, 'closed')]
  // Nobody can look into a link to itself, whoever runs the tests.
  symlinkSync(closed, closed)
  expect(() => requireDatabase({ dataDir: none, database: null })).toThrow(
    `There is no database in ${none} yet`,
  )
  expect(() => requireDatabase({ dataDir: closed, database: null })).toThrow(
    `DATA_DIR is ${closed}, which you may not read and write`,
  )
})
