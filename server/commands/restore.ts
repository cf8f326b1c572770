import { join, resolve } from 'node:path'
import { forgetFirstLogin } from '../access/first-login.ts'
import { findSecretKey, keepSecretKey, readKeyOfBackup } from '../access/secret-key.ts'
import { KEY, readManifest } from '../backup/archive.ts'
import { restoreBackup } from '../backup/restore.ts'
import { type Config, readConfig, StartFault } from '../config.ts'
import { openDatabase } from '../postgres/database.ts'
import { codeOf } from '../postgres/errors.ts'
import { refuseUnfit } from '../postgres/fit.ts'
import { mayMakeNoTables, migrate, roleOfTried } from '../postgres/migrate.ts'
import { isSameZone, noteTimeZone } from '../postgres/time-zone.ts'
import { prove } from '../verify/proof.ts'
import { runCommand, say, withDatabase } from './command.ts'

// Restores a backup into an empty data folder or database, and verifies it: `npm run restore -- FOLDER`.

await runCommand(main, 1)

async function main(): Promise<number> {
  const config = readConfig(process.env)
  const [, , named] = process.argv
  if (named === undefined) throw new StartFault('Say which backup: npm run restore -- FOLDER')
  const folder = resolve(named)
  const manifest = readManifest(folder)
  const key = chooseKey(config, folder)
  return withDatabase(await openDatabase(config, say), async (database) => {
    const { server, owner } = database
    // Before the first row: a backup is not to blame for a database on which no console can start.
    await roleOfTried(server)
    const isSame = isSameZone(manifest.time_zone, config.timeZone)
    // The configuration may have another name of the zone, which this PostgreSQL knows.
    await refuseUnfit(server, isSame ? config.timeZone : manifest.time_zone, say)
    const onRestored = () => config.secretKey ?? keepSecretKey(config, key)
    await restoreBackup({ owner, key, folder, manifest, say, onRestored }).catch((error) => {
      throw codeOf(error) === '42501' ? mayMakeNoTables() : error
    })
    await forgetFirstLogin(config)
    await migrate({ ...database, say })
    await noteTimeZone(owner, manifest.time_zone)
    const code = await prove(database, say)
    say(
      code === 0
        ? `Restored as it was at ${manifest.taken}.`
        : `The rows of ${manifest.taken} were restored, but their ledger is not sound. Use another backup.`,
    )
    if (!isSame) {
      say(
        `Its days were counted in ${manifest.time_zone}: start the console with TIME_ZONE=${manifest.time_zone}.`,
      )
    }
    return code
  })
}

function chooseKey(config: Config, folder: string): Buffer {
  const configured = findSecretKey(config)
  const kept = readKeyOfBackup(join(folder, KEY))
  if (configured && kept && !configured.equals(kept)) {
    throw new StartFault(
      `SECRET_KEY, or the secret-key in ${config.dataDir}, is not the key of this backup; move it away, and the backup's own is used.`,
    )
  }
  const key = configured ?? kept
  if (key) return key
  throw new StartFault(`${folder} has no ${KEY}; put it back there, or set SECRET_KEY to it.`)
}
