import { existsSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createSeal, ofClient } from '../server/access/seal.ts'
import { findOrMakeSecretKey } from '../server/access/secret-key.ts'
import { seed } from '../server/commands/demo/dice.ts'
import { readConfig } from '../server/config.ts'
import { addDays, dayOf, startOf } from '../server/ledger/calendar.ts'
import { fillSums } from '../server/ledger/sums.ts'
import { fillBranchDays } from '../server/nouns/growth.ts'
import { fillStatistics } from '../server/nouns/statistics.ts'
import { startEmbedded } from '../server/postgres/embedded.ts'
import { migrate } from '../server/postgres/migrate.ts'
import { openPool } from '../server/postgres/pool.ts'
import { load } from './fill/load.ts'
import { DAYS, Simulation } from './fill/simulation.ts'
import { createAccounts } from './fill/tree.ts'
import { timed } from './timed.ts'

/** The data folders of the databases that most parts measure. */
export type Folders = Record<'million' | 'tenthousand', string>

/** The databases that are measured, by the folder's name. Their comparison shows what grows with the data. */
export const FILLS = {
  fivemillion: { clients: 5_000_000, dealers: 10_000 },
  million: { clients: 1_000_000, dealers: 2_000 },
  tenthousand: { clients: 10_000, dealers: 20 },
} as const

/** Returns the folder of all databases. */
export function rootFolder(): string {
  return resolve(process.env.DATA_DIR ?? './data/bench')
}

/**
 * Returns the data folder of a database, which is filled the first time and then kept. It has ten transactions per
 * client, all levels of accounts, and a dealer with a tenth of all clients.
 */
export async function filled(name: keyof typeof FILLS, say: (line: string) => void): Promise<string> {
  const folder = join(rootFolder(), name)
  if (existsSync(folder)) return folder
  const draft = `${folder}.draft`
  rmSync(draft, { recursive: true, force: true })
  say(`Filling ${folder}`)
  const milliseconds = await timed(() => fill(draft, FILLS[name], say))
  renameSync(draft, folder)
  say(`Filled in ${Math.round(milliseconds / 1000)} s`)
  return folder
}

async function fill(
  dataDir: string,
  { clients, dealers }: (typeof FILLS)[keyof typeof FILLS],
  say: (line: string) => void,
): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir })
  const seal = createSeal(findOrMakeSecretKey(config))
  const database = await startEmbedded({ dataDir, say })
  const sql = openPool(database.superuser, { max: 1, isLong: true })
  try {
    await migrate({ ...database, say })
    const first = addDays(dayOf(new Date(), config.timeZone), -DAYS)
    seed(clients)
    const tree = await createAccounts(sql, dealers, startOf(first, config.timeZone))
    const close = (password: string, client: number) => seal.close(password, ofClient(client))
    await load(sql, new Simulation(tree, clients, first), close, say)
    await fillStatistics(sql, new Date(), config.timeZone)
    await fillBranchDays(sql, new Date(), config.timeZone)
    await fillSums(sql, new Date(), config.timeZone)
  } finally {
    await sql.end()
    await database.stop()
  }
}

if (import.meta.main) {
  const say = (line: string) => process.stdout.write(`${line}\n`)
  for (const name of ['tenthousand', 'million'] as const) await filled(name, say)
}
