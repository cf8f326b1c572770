import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig, StartFault } from './config.ts'
import { MAJOR } from './postgres/binaries.ts'
import { openDatabase } from './postgres/database.ts'
import { report } from './verify/report.ts'

// Proves on the live database that the ledger is what it should be, whether the console runs or not. Exits with 1,
// and the first row that is not, where it is not.

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof StartFault)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function main(): Promise<number> {
  const config = readConfig(process.env)
  if (config.database === null && !existsSync(join(config.dataDir, `postgres-${MAJOR}`))) {
    throw new StartFault(`There is no database in ${config.dataDir} yet; start the console first.`)
  }
  const database = await openDatabase(config, () => {}, { guest: true })
  try {
    return await report(database.server, (line) => process.stdout.write(`${line}\n`))
  } finally {
    await database.stop()
  }
}
