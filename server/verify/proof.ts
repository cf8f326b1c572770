import { StartFault } from '../config.ts'
import { numbersTaken } from '../postgres/after-a-copy.ts'
import { type Connect, type Sql, withPool } from '../postgres/pool.ts'
import { ageOf, RELEASE, standingOf } from '../postgres/schema.ts'
import { rewrittenDefinitions } from './definitions.ts'
import { type Findings, verify } from './verify.ts'

/**
 * Prints the findings, and returns the exit code. Where one role owns the tables and runs the console, as with
 * DATABASE_URL alone, that is a warning: it was chosen, and says nothing of the rows.
 * @throws StartFault where the tables are those of another version
 */
export async function prove(
  { server, owner }: Record<'server' | 'owner', Connect>,
  say: (line: string) => void,
): Promise<number> {
  return withPool(server, { max: 2, isLong: true }, async (sql) => {
    await refuseOtherTables(sql)
    const began = performance.now()
    const role = await roleOf(sql)
    const { role: ownerRole, faults } = await askOwner(owner)
    const isOneRole = role === ownerRole && (await ownsLedger(sql))
    const { others, ...findings } = await verify(sql, isOneRole ? null : role)
    if (isOneRole)
      say(
        `Warning: ${role} owns the tables and runs the console too: the database cannot guard the ledger against it.`,
      )
    return tell({ ...findings, others: [...others, ...faults] }, (performance.now() - began) / 1000, say)
  })
}

async function roleOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ role: string }[]>`select current_user as role`
  return row?.role ?? ''
}

async function ownsLedger(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ owns: boolean }[]>`
    select pg_get_userbyid(relowner) = current_user as owns from pg_class where oid = 'transfer'::regclass`
  return row?.owns ?? false
}

/** Reads what only the owner of the tables can tell: its own name, and faults that nobody else could find. */
async function askOwner(owner: Connect): Promise<{ role: string; faults: string[] }> {
  return withPool(owner, { max: 1 }, async (sql) => {
    const role = await roleOf(sql)
    if (!(await ownsLedger(sql))) return { role, faults: [] }
    const taken = await numbersTaken(sql)
    return { role, faults: [...(await rewrittenDefinitions(sql)), ...(taken === null ? [] : [taken])] }
  })
}

/** The guards and rules that this version knows are not those of another. */
async function refuseOtherTables(sql: Sql): Promise<void> {
  const standing = await standingOf(sql)
  if (standing === null) throw new StartFault('The database has no tables yet; start the console first.')
  const age = ageOf(standing, RELEASE)
  if (age === 'present') return
  throw new StartFault(
    `The tables are those of ${age === 'newer' ? 'a newer' : 'an older'} version of Boxtree; run npm run verify of that version.`,
  )
}

function tell(
  { transactions, holdings, clients, first, others }: Findings,
  seconds: number,
  say: (line: string) => void,
): number {
  const [rows, balances, people] = [transactions, holdings, clients].map((count) =>
    count.toLocaleString('en-US'),
  )
  say(
    `Looked at ${rows} transactions, ${balances} balances and ${people} clients in ${seconds.toFixed(1)} s.`,
  )
  const faults = [...(first ? [first.sentence] : []), ...others]
  for (const fault of faults) say(fault)
  say(faults.length === 0 ? 'The ledger is sound.' : 'The ledger is NOT sound.')
  return faults.length === 0 ? 0 : 1
}
