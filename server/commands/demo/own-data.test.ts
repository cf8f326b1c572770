import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshFolder } from '../../../test/support/folder.ts'
import { markAsDemonstration, refuseOwnData } from './own-data.ts'

test('the demonstration fills neither a database that is named nor a folder with the data of something else', () => {
  for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL_FILE'])
    expect(() => refuseOwnData({ [name]: 'x' })).toThrow(`Run it without ${name}.`)
  const folder = freshFolder()
  const DATA_DIR = join(folder, 'data')
  refuseOwnData({})
  refuseOwnData({ DATA_DIR })
  mkdirSync(DATA_DIR)
  refuseOwnData({ DATA_DIR })
  writeFileSync(join(DATA_DIR, 'secret-key'), '')
  expect(() => refuseOwnData({ DATA_DIR })).toThrow('has data that is not of a demonstration')
  markAsDemonstration(DATA_DIR)
  refuseOwnData({ DATA_DIR })
})
