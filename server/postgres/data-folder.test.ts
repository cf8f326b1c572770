import { spawnSync } from 'node:child_process'
import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder } from '../../test/support/folder.ts'
import { offers } from '../../test/support/needs.ts'
import { makeDataFolder } from './data-folder.ts'
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

const MOUNT = ['unshare', '--map-root-user', '--mount', 'sh', '-c'] as const
const canMount = offers(
  spawnSync(MOUNT[0], [...MOUNT.slice(1), 'mount -t tmpfs tmpfs /tmp']).status === 0,
  'The test of a disk that cannot be written',
  'mounts in a namespace',
)

test.runIf(canMount)('a disk that cannot be written is not taken for the folder of another user', () => {
  const script = `
    const { makeDataFolder } = await import(${JSON.stringify(import.meta.resolve('./data-folder.ts'))})
    for (const name of ['', '/new', '/new/within'])
      try { makeDataFolder(process.argv[1] + name) } catch (error) { console.log(error.message) }`
  const node = [process.execPath, '--input-type=module', '--eval', script, parent]
  const mount = 'mount -t tmpfs -o ro tmpfs "$0" && exec "$@"'
  const { stdout, stderr } = spawnSync(MOUNT[0], [...MOUNT.slice(1), mount, parent, ...node], {
    encoding: 'utf8',
  })
  const said = (folder: string) => `DATA_DIR is ${folder}, on a disk that cannot be written: `
  expect(stdout.split('\n'), stderr).toEqual([
    expect.stringContaining(said(parent)),
    expect.stringContaining(said(`${parent}/new`)),
    expect.stringContaining(said(`${parent}/new/within`)),
    '',
  ])
})

test('folders are made within each other, for this user alone, and none where there can be none', () => {
  const within = join(parent, 'one/two')
  makeDataFolder(within)
  makeDataFolder(within)
  expect(statSync(join(parent, 'one')).mode & 0o066).toBe(0)
  writeFileSync(join(within, 'file'), '')
  symlinkSync(join(within, 'nowhere'), join(within, 'link'))
  for (const none of [
    join(within, 'file'),
    join(within, 'file/new'),
    join(within, 'link'),
    '/proc/none/within',
  ])
    expect(() => makeDataFolder(none)).toThrow(`DATA_DIR is ${none}, which cannot be made`)
})
