import { calls } from '../contract/calls.ts'
import type { Sql } from '../server/postgres/pool.ts'
import { type Console, startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { openDatabaseOf } from './database.ts'
import { download } from './download.ts'
import { type Figure, grouped, ofRounds, type Round, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions } from './people.ts'
import { watchMemory } from './watch.ts'

const ROUNDS = 3

/**
 * Measures the admin's CSV of a million clients and a dealer's PDF of a hundred thousand, beside a bare COPY of the
 * same rows in the same order, and the memory meanwhile.
 */
export async function* exportFigures({ million }: Folders): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir: million })
  const { sql, close } = await openDatabaseOf(million, 'server')
  try {
    const { admin, dealer } = await openSessions(sql)
    for (const file of [
      { format: 'csv', path: calls.admin.exportClients.path, token: admin.token, of: 'true', least: 100_000 },
      {
        format: 'pdf',
        path: calls.clients.export.path,
        token: dealer.token,
        of: `c.dealer = ${dealer.id}`,
        least: 5_000,
      },
    ]) {
      for (const sort of ['name', 'expiry'] as const) yield* figuresOf(console, sql, { ...file, sort })
    }
  } finally {
    await close()
    await console.stop()
  }
}

interface File {
  format: string
  path: string
  token: string
  /** The condition for its clients. */
  of: string
  sort: keyof typeof ORDERS
  /** The least rows a second. */
  least: number
}

const ORDERS = { name: 'lower(c.name)', expiry: 's.expiry' }

async function* figuresOf(console: Console, sql: Sql, file: File): AsyncGenerator<Figure> {
  const from = `from client c join service s on s.client = c.id where c.deleted is null and ${file.of}`
  const [count] = await sql.unsafe<{ rows: number }[]>(`select count(*)::int as rows ${from}`)
  const rows = count?.rows ?? 0
  const copied = `select c.name, c.mac, s.expiry, c.description, c.phone, c.package_selection, c.created ${from}`
  const first: Round[] = []
  const speed: Round[] = []
  const server = watchMemory(console.process.pid)
  const maker = watchMemory(console.process.pid, 'exports/make-file.ts')
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await download(
      `${console.url}/v1${calls.files.download.path.replace('{ticket}', await ticketOf(console, file))}`,
    )
    const theirs = await copy(sql, `copy (${copied} order by ${ORDERS[file.sort]}) to stdout (format csv)`)
    first.push({ ours: ours.firstMs, theirs: theirs.firstMs })
    speed.push({ ours: (1000 * rows) / ours.wholeMs, theirs: (1000 * rows) / theirs.wholeMs })
  }
  const what = `of ${grouped(rows)} clients as ${file.format} by ${file.sort}`
  const beside = '    the same, beside a bare COPY'
  yield {
    what: `First byte ${what}`,
    ...ofRounds(first.map(({ ours }) => ours)),
    limit: 200,
    unit: 'ms',
  }
  yield ratioOf(first, { what: beside, limit: null, absolute: 'ms' })
  yield {
    what: `Rows ${what}`,
    ...ofRounds(speed.map(({ ours }) => ours)),
    limit: file.least,
    atLeast: true,
    unit: '/s',
  }
  yield ratioOf(speed, { what: beside, limit: null, absolute: '/s' })
  yield { what: "Highest memory of the file's own process", value: maker.stop().peak, limit: 250, unit: 'MB' }
  yield { what: 'Highest memory of the server meanwhile', value: server.stop().peak, limit: 250, unit: 'MB' }
}

async function ticketOf({ url }: Console, { format, sort, path, token }: File): Promise<string> {
  const body = JSON.stringify({ format, search: '', sort, order: 'asc', filter: 'all' })
  // A new connection, since the server closes one that is idle during a long download.
  const connection = await Connection.open(url)
  const { ticket } = JSON.parse(await connection.post(path, token, body)) as { ticket: string }
  connection.close()
  return ticket
}

async function copy(sql: Sql, statement: string): Promise<{ firstMs: number; wholeMs: number }> {
  const began = performance.now()
  let firstMs = 0
  for await (const _ of await sql.unsafe(statement).readable()) firstMs ||= performance.now() - began
  return { firstMs, wholeMs: performance.now() - began }
}
