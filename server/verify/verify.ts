import { begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { brokenGuards } from './guards.ts'
import { type BrokenRow, RULES } from './rows.ts'
import { brokenSums } from './sums.ts'
import { brokenTree } from './tree.ts'

export type Findings = {
  transactions: number
  holdings: number
  clients: number
  /** The row with the lowest id that breaks a rule. */
  first: { id: number; sentence: string } | null
  /** A sentence for each fault that is not in a row. */
  others: string[]
}

/**
 * On a snapshot of a live database.
 * @param sql a pool of at least two connections that may read every table
 * @param role the console's, whose rights are judged; null where they are not
 */
export async function verify(sql: Sql, role: string | null): Promise<Findings> {
  return begin(sql, async (one) => {
    await one`set transaction isolation level repeatable read, read only`
    const [exported] = await one<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`
    return begin(sql, async (other) => {
      await other`set transaction isolation level repeatable read, read only`
      await other.unsafe(`set transaction snapshot '${exported?.snapshot}'`)
      return examine([one, other], role)
    })
  })
}

/** Proves the ledger in open transactions of one snapshot. Two of them share the work on two processors. */
export async function examine(
  transactions: readonly [Sql, ...Sql[]],
  role: string | null,
): Promise<Findings> {
  const [sql] = transactions
  const rest = [...RULES]
  const broken = (await Promise.all(transactions.map((sql) => work(sql, rest)))).flat()
  return {
    ...(await counts(sql)),
    first: await firstOf(sql, broken),
    others: [...(await brokenGuards(sql, role)), ...(await brokenSums(sql)), ...(await brokenTree(sql))],
  }
}

/** The work_mem of the one statement that runs, so that it sorts in memory. */
const MEMORY = '256MB'

async function work(sql: Sql, rest: (typeof RULES)[number][]): Promise<BrokenRow[]> {
  await sql`select set_config('work_mem', ${MEMORY}, true), set_config('jit', 'off', true)`
  const broken: BrokenRow[] = []
  for (let rule = rest.shift(); rule; rule = rest.shift())
    broken.push(...(await sql<BrokenRow[]>`${rule(sql)}`))
  return broken
}

async function counts(sql: Sql): Promise<{ transactions: number; holdings: number; clients: number }> {
  const [counted] = await sql<{ transactions: number; holdings: number; clients: number }[]>`
    select (select count(*) from transfer) as transactions, (select count(*) from holding) as holdings,
      (select count(*) from client) as clients`
  return counted ?? { transactions: 0, holdings: 0, clients: 0 }
}

/** Returns the row with the lowest id, and everything that is wrong with it. */
async function firstOf(sql: Sql, broken: readonly BrokenRow[]): Promise<Findings['first']> {
  if (broken.length === 0) return null
  const id = Math.min(...broken.map(({ id }) => id))
  const faults = broken.filter((one) => one.id === id).map(({ fault }) => fault)
  const [row] = await sql<{ type: string; credits: number; login: string; created: string }[]>`
    select type, credits, login, created from transfer where id = ${id}`
  const what = row ? ` (${row.type} of ${row.credits}, ${row.login}, ${row.created})` : ''
  return { id, sentence: `Row ${id}${what} ${faults.join(', and ')}.` }
}
