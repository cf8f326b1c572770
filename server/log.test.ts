import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { offers } from '../test/support/needs.ts'

const hasFull = offers(existsSync('/dev/full'), 'The tests of a log that is full', '/dev/full')

test.runIf(hasFull)(
  'of lines that cannot be written, as on a full disk, 16 MB wait and later ones are lost',
  () => {
    const disk = openSync('/dev/full', 'w')
    const program = `
    import { openLog, openStderr } from './log.ts'
    const stderr = openStderr()
    let lost = 0
    stderr.on('drop', () => { lost += 1 })
    const log = openLog(stderr)
    for (let times = 0; times < 40; times += 1) log.info('x'.repeat(1e6))
    process.stdout.write(String(lost))
    process.exit()`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', disk],
      encoding: 'utf8',
    })
    closeSync(disk)
    expect(Number(stdout)).toBeGreaterThanOrEqual(40 - 17)
    expect(Number(stdout)).toBeLessThanOrEqual(40 - 15)
  },
)

test('the end of a log waits for no reader that stands still', async () => {
  const program = `
    import { endLog, openLog, openStderr } from './log.ts'
    const stderr = openStderr()
    openLog(stderr).info('x'.repeat(1e7))
    await endLog(stderr, 100)
    process.stdout.write('ended')
    process.exit()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    expect(String(await once(child.stdout, 'data'))).toBe('ended')
  } finally {
    child.kill('SIGKILL')
  }
})
