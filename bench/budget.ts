import type { Sql } from '../server/postgres/pool.ts'
import type { Console } from '../test/support/console.ts'
import { openDatabaseOf } from './database.ts'
import { type Figure, ofRounds } from './figure.ts'
import type { Folders } from './fill.ts'
import { startLoggedConsole } from './logged-console.ts'
import { openRenewals, renewersOf } from './renewers.ts'
import { countStatements } from './statements.ts'
import { familyTime, postmasterOf, processorTime } from './watch.ts'

const CONNECTIONS = 8
const WARM_UP_MS = 2_000
const ROUNDS = 5
const MEASURED_MS = 2_000
/** Milliseconds of processor time, and bytes of the log. */
type Cost = Record<'server' | 'database' | 'log', number>
const PARTS = [
  ['server', 'Processor time of the server', 'ms'],
  ['database', 'Processor time of PostgreSQL', 'ms'],
  ['log', 'Write-ahead log', 'bytes'],
] as const
/** The statements that are listed: those that cost at least this, in milliseconds a renewal. */
const LEAST_MS = 0.004

/**
 * Measures where the processor time and the write-ahead log of a renewal go: by process, by statement, and by the
 * statements inside triggers and functions. Counting them costs time itself, so that no other part does it.
 */
export async function* budgetFigures({ million }: Folders): AsyncGenerator<Figure | string> {
  const stopCounting = countStatements(million)
  try {
    const console = await startLoggedConsole(million)
    try {
      yield* budgetOf(console, million)
    } finally {
      await console.stop()
    }
  } finally {
    stopCounting()
  }
}

async function* budgetOf(
  { url, process }: Pick<Console, 'url' | 'process'>,
  million: string,
): AsyncGenerator<Figure | string> {
  const { sql, close } = await openDatabaseOf(million, 'superuser')
  const renewals = openRenewals()
  const spent = async (): Promise<Cost> => {
    const [log] = await sql<{ bytes: number }[]>`select (pg_current_wal_lsn() - '0/0')::bigint as bytes`
    return {
      server: processorTime(process.pid as number),
      database: familyTime(postmasterOf(million)),
      log: log?.bytes ?? 0,
    }
  }
  try {
    await sql`create extension if not exists pg_stat_statements`
    const order = { url, connections: CONNECTIONS, renewers: await renewersOf(sql) }
    await renewals.renew({ ...order, milliseconds: WARM_UP_MS })
    await sql`select pg_stat_statements_reset()`
    const costs: Cost[] = []
    let made = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await spent()
      const { times } = await renewals.renew({ ...order, milliseconds: MEASURED_MS })
      const after = await spent()
      const each = (key: keyof Cost) => (after[key] - before[key]) / times.length
      costs.push({ server: each('server'), database: each('database'), log: each('log') })
      made += times.length
    }
    for (const [key, what, unit] of PARTS) {
      yield { what: `${what}, a renewal`, ...ofRounds(costs.map((cost) => cost[key])), limit: null, unit }
    }
    yield* byStatement(sql, made)
    await sql`drop extension pg_stat_statements`
  } finally {
    renewals.close()
    await close()
  }
}

async function* byStatement(sql: Sql, renewals: number): AsyncGenerator<string> {
  const rows = await sql<{ query: string; toplevel: boolean; calls: number; ms: number; bytes: number }[]>`
    select regexp_replace(trim(query), '\\s+', ' ', 'g') as query, toplevel, (calls / ${renewals}::float8) as calls,
      total_exec_time / ${renewals}::float8 as ms, (wal_bytes / ${renewals}::float8) as bytes
    from pg_stat_statements where total_exec_time / ${renewals}::float8 >= ${LEAST_MS}::float8
    order by toplevel desc, total_exec_time desc`
  yield '    ms a renewal    bytes    calls    statement (indented: inside a trigger or function)'
  for (const { query, toplevel, calls, ms, bytes } of rows) {
    const numbers = [
      ms.toFixed(3).padStart(16),
      bytes.toFixed(0).padStart(9),
      calls.toFixed(2).padStart(9),
    ].join('')
    yield `${numbers}    ${toplevel ? '' : '  '}${query.slice(0, 130)}`
  }
}
