import { readConfig } from '../config.ts'
import { openDatabase, requireDatabase } from '../postgres/database.ts'
import { runCommand, say } from './command.ts'
import { report } from './verify/report.ts'

// Proves on the live database that the ledger is what it should be, whether the console runs or not. Exits with 1,
// and the first row that is not, where it is not.

await runCommand(main)

async function main(): Promise<number> {
  const config = readConfig(process.env)
  requireDatabase(config)
  const database = await openDatabase(config, () => {}, { guest: true })
  try {
    return await report(database.server, say)
  } finally {
    await database.stop()
  }
}
