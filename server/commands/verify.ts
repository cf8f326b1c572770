import { readConfig } from '../config.ts'
import { openDatabase, requireDatabase } from '../postgres/database.ts'
import { prove } from '../verify/proof.ts'
import { runCommand, say, withDatabase } from './command.ts'

// Proves on the live database that the ledger is sound, whether the console runs or not. Exits with 1 and prints
// the first row that breaks a rule, where there is one.

await runCommand(main)

async function main(): Promise<number> {
  const config = readConfig(process.env)
  requireDatabase(config)
  const database = await openDatabase(config, () => {}, { guest: true })
  return withDatabase(database, (database) => prove(database, say))
}
