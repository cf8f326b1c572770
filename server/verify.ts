import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig, StartFault } from './config.ts'
import { MAJOR } from './postgres/binaries.ts'
import { openDatabase } from './postgres/database.ts'
import { openPool } from './postgres/pool.ts'
import { type Findings, verify } from './verify/verify.ts'

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
  const sql = openPool(database.server, { max: 2, patient: true })
  try {
    const began = performance.now()
    const [row] = await sql<{ role: string }[]>`select current_user as role`
    return report(await verify(sql, row?.role ?? ''), (performance.now() - began) / 1000)
  } finally {
    await sql.end({ timeout: 5 })
    await database.stop()
  }
}

function report({ transactions, holdings, clients, first, others }: Findings, seconds: number): number {
  const [rows, balances, people] = [transactions, holdings, clients].map((count) =>
    count.toLocaleString('en-US'),
  )
  process.stdout.write(
    `Looked at ${rows} transactions, ${balances} balances and ${people} clients in ${seconds.toFixed(1)} s.\n`,
  )
  const faults = [...(first ? [first.sentence] : []), ...others]
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.stdout.write(
    faults.length === 0 ? 'Every credit is where its rows say.\n' : 'The ledger is NOT sound.\n',
  )
  return faults.length === 0 ? 0 : 1
}
