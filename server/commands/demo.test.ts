import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startConsole } from '../../test/support/console.ts'
import { freshFolder, putCluster } from '../../test/support/folder.ts'
import { offers } from '../../test/support/needs.ts'

const hasAnotherAddress = offers(
  process.platform !== 'darwin',
  'The test of where the demonstration is served',
  'the addresses from 127.0.0.2 on, which macOS does not have',
)

test.runIf(hasAnotherAddress)(
  'the demonstration starts wherever HOST, BOX_PORT and SERVE have it serve, and its boxes ask there',
  async () => {
    // One that has an admin is not filled with its year once more.
    const dataDir = putCluster(freshFolder())
    const filled = await startConsole({ dataDir })
    await filled.stop()
    writeFileSync(join(dataDir, 'demonstration'), '')

    const demonstration = async (env: Record<string, string>) => {
      const started = await startConsole({ dataDir, program: 'server/commands/demo.ts', env })
      onTestFinished(async () => void (await started.stop()))
      return started
    }
    const elsewhere = await demonstration({ HOST: '127.0.0.2', BOX_PORT: '0', LOG_LEVEL: 'debug' })
    await expect.poll(elsewhere.output).toMatch(/"call":"stb.handshake".*"answered"/)
    await elsewhere.stop()
    const withoutBoxes = await demonstration({ SERVE: 'console' })
    await expect.poll(withoutBoxes.output).toContain('Sign in as admin')
  },
)
