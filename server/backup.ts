import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { takeBackup } from './backup/take.ts'
import { readConfig, StartFault } from './config.ts'
import { MAJOR } from './postgres/binaries.ts'
import { openDatabase } from './postgres/database.ts'
import { findSecretKey } from './secret.ts'

// Writes a backup, whether the console runs or not: `npm run backup -- FOLDER`.

const say = (line: string) => process.stdout.write(`${line}\n`)
const interrupted = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () =>
    interrupted.abort(new StartFault('The backup was interrupted; nothing of it remains.')),
  )
}

try {
  await main()
} catch (error) {
  const fault = interrupted.signal.aborted ? interrupted.signal.reason : error
  if (!(fault instanceof StartFault)) throw error
  process.stderr.write(`${fault.message}\n`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const config = readConfig(process.env)
  if (config.database === null && !existsSync(join(config.dataDir, `postgres-${MAJOR}`))) {
    throw new StartFault(`There is no database in ${config.dataDir} yet; start the console first.`)
  }
  const key = findSecretKey(config)
  if (key === null) {
    throw new StartFault(`There is no secret-key in ${config.dataDir}; set SECRET_KEY to the console's.`)
  }
  const folder = resolve(process.argv[2] ?? join('backups', new Date().toISOString().replace(/[:.]/g, '-')))
  const database = await openDatabase(config, () => {}, { guest: true })
  try {
    const { timeZone } = config
    const { owner } = database
    await takeBackup({ owner, key, timeZone, folder, say, signal: interrupted.signal })
    say(
      `The backup is in ${folder}, and the key of the clients' passwords with it: keep it where nobody else reads.`,
    )
  } finally {
    await database.stop()
  }
}
