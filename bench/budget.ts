import type { Sql } from '../server/postgres/pool.ts'
import { startConsole } from '../test/support/console.ts'
import { openDatabaseOf } from './database.ts'
import { type Figure, ofRounds } from './figure.ts'
import type { Folders } from './fill.ts'
import { renewersOf, renewFor } from './renewers.ts'
import { countStatements } from './statements.ts'
import { processorTime } from './watch.ts'

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
  const console = await startConsole({ dataDir: million })
  const { sql, close } = await openDatabaseOf(million, 'superuser')
  try {
    await sql`create extension if not exists pg_stat_statements`
    const order = { url: console.url, connections: CONNECTIONS, renewers: await renewersOf(sql) }
    await renewFor({ ...order, milliseconds: WARM_UP_MS })
    await sql`select pg_stat_statements_reset()`
    const costs: Cost[] = []
    let renewals = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await spent(sql, console.process.pid as number)
      const { times } = await renewFor({ ...order, milliseconds: MEASURED_MS })
      const after = await spent(sql, console.process.pid as number)
      const each = (key: keyof Cost) => (after[key] - before[key]) / times.length
      costs.push({ server: each('server'), database: each('database'), log: each('log') })
      renewals += times.length
    }
    for (const [key, what, unit] of PARTS) {
      yield { what: `${what}, a renewal`, ...ofRounds(costs.map((cost) => cost[key])), limit: null, unit }
    }
    yield* byStatement(sql, renewals)
    await sql`drop extension pg_stat_statements`
  } finally {
    stopCounting()
    await close()
    await console.stop()
  }
}

/** Returns the processor time spent so far, in milliseconds, and the length of the write-ahead log, in bytes. */
async function spent(sql: Sql, server: number): Promise<Cost> {
  const processes = await sql<
    { pid: number }[]
  >`select pid from pg_stat_activity where pid <> pg_backend_pid()`
  const [log] = await sql<{ bytes: number }[]>`select (pg_current_wal_lsn() - '0/0')::bigint as bytes`
  return {
    server: processorTime(server),
    database: processes.reduce((sum, { pid }) => sum + processorTime(pid), 0),
    log: log?.bytes ?? 0,
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
