import { join, resolve } from 'node:path'
import { findSecretKey } from '../access/secret-key.ts'
import { reserveOf } from '../backup/reserve.ts'
import { takeBackup } from '../backup/take.ts'
import { readConfig, StartFault } from '../config.ts'
import { openDatabase, requireDatabase } from '../postgres/database.ts'
import { runCommand, say, withDatabase } from './command.ts'

// Writes a backup, whether the console runs or not: `npm run backup -- FOLDER`.

const interrupted = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () =>
    interrupted.abort(new StartFault('The backup was interrupted; nothing of it remains.')),
  )
}

await runCommand(async () => {
  try {
    await main()
  } catch (error) {
    // The error is only a consequence of the interruption.
    throw interrupted.signal.aborted ? interrupted.signal.reason : error
  }
}, 1)

async function main(): Promise<void> {
  const config = readConfig(process.env)
  requireDatabase(config)
  const key = findSecretKey(config)
  if (key === null) {
    throw new StartFault(`There is no secret-key in ${config.dataDir}; set SECRET_KEY to the console's.`)
  }
  const folder = resolve(process.argv[2] ?? join('backups', new Date().toISOString().replace(/[:.]/g, '-')))
  const opening = { guest: true, standby: true, stopping: interrupted.signal }
  const database = await openDatabase(config, () => {}, opening)
  await withDatabase(database, async ({ owner, files }) => {
    const { timeZone } = config
    const reserve = reserveOf(files, config)
    await takeBackup({ owner, key, timeZone, folder, reserve, say, signal: interrupted.signal })
    say(
      `The backup is in ${folder}, and the key of the clients' passwords with it: keep it where nobody else reads.`,
    )
  })
}
