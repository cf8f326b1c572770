import { StartFault } from '../config.ts'
import { numbersTaken } from '../postgres/after-a-copy.ts'
import { isOfDefinition } from '../postgres/errors.ts'
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
    const { role: ownerRole, faults, warning } = await askOwner(owner)
    const isOneRole = role === ownerRole && (await ownsLedger(sql))
    if (isOneRole)
      say(
        `Warning: ${role} owns the tables and runs the console too: the database cannot guard the ledger against it.`,
      )
    if (warning !== null) say(`Warning: ${warning}`)
    let findings: Findings
    try {
      findings = await verify(sql, isOneRole ? null : role)
    } catch (error) {
      if (!isOfDefinition(error)) throw error
      return conclude([...faults, `The rest was not looked at: ${error.message}.`], say)
    }
    const others = [...findings.others, ...faults]
    return tell({ ...findings, others }, (performance.now() - began) / 1000, say)
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

/** Whether this role has the rights of the tables' owner: it is the owner, or a member of it, or a superuser. */
async function actsAsOwner(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ acts: boolean }[]>`
    select pg_has_role(relowner, 'usage') as acts from pg_class where oid = 'transfer'::regclass`
  return row?.acts ?? false
}

type OfOwner = {
  role: string
  /** What nobody else could find. */
  faults: string[]
  /** What could not be looked at, and why. */
  warning: string | null
}

/** Reads what only the owner of the tables can tell. */
async function askOwner(owner: Connect): Promise<OfOwner> {
  return withPool(owner, { max: 1 }, async (sql) => {
    const role = await roleOf(sql)
    if (!(await actsAsOwner(sql)))
      return {
        role,
        faults: [],
        warning: `${role} does not own the tables, so nobody looked whether the numbers of new rows are taken, or whether views, and functions that are written as an expression, were rewritten. Set DATABASE_OWNER_URL for that.`,
      }
    const taken = await numbersTaken(sql)
    const rewritten = await rewrittenDefinitions(sql)
    return {
      role,
      faults: [...(rewritten ?? []), ...(taken === null ? [] : [taken])],
      warning:
        rewritten === null
          ? `views, and functions that are written as an expression, were not compared, because ${role} may create nothing in the schema public.`
          : null,
    }
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
    `Looked at ${rows} transactions, ${balances} balances and ${people} clients, deleted ones too, in ${seconds.toFixed(1)} s.`,
  )
  return conclude([...(first ? [first.sentence] : []), ...others], say)
}

function conclude(faults: readonly string[], say: (line: string) => void): number {
  for (const fault of faults) say(fault)
  say(faults.length === 0 ? 'The ledger is sound.' : 'The ledger is NOT sound.')
  return faults.length === 0 ? 0 : 1
}
