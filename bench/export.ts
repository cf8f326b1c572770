import { get } from 'node:http'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import type { Figure } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions, withDatabaseOf } from './people.ts'
import { watchMemory } from './watch.ts'

/** Measures the admin's CSV of a million clients and a dealer's PDF of a hundred thousand: speed and memory. */
export async function* exportFigures({ million }: Folders): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir: million })
  try {
    const { admin, dealer } = await withDatabaseOf(million, openSessions)
    const [count] = await withDatabaseOf(
      million,
      (sql) => sql<{ all: number; own: number }[]>`
        select count(*)::int as all, (count(*) filter (where dealer = ${dealer.id}))::int as own
        from client where deleted is null`,
    )
    for (const { format, path, token, rows, least } of [
      {
        format: 'csv',
        path: '/v1/admin/clients/export',
        token: admin.token,
        rows: count?.all ?? 0,
        least: 100_000,
      },
      {
        format: 'pdf',
        path: '/v1/api/clients/export',
        token: dealer.token,
        rows: count?.own ?? 0,
        least: 5_000,
      },
    ]) {
      for (const sort of ['name', 'expiry']) {
        const body = JSON.stringify({ format, search: '', sort, order: 'asc', filter: 'all' })
        // The first download reads from the disk, the second from the cache.
        for (const time of ['first', 'again']) {
          // A new connection, since the server closes one that is idle during a long download.
          const connection = await Connection.open(console.url)
          const { ticket } = JSON.parse(await connection.post(path, token, body)) as { ticket: string }
          connection.close()
          const server = watchMemory(console.process.pid)
          const file = watchMemory(console.process.pid, 'exports/maker.ts')
          const { firstMs, wholeMs } = await download(`${console.url}/v1/exports/${ticket}`)
          const what = `of ${rows.toLocaleString('en-US')} clients as ${format} by ${sort}, ${time}`
          yield { what: `First byte ${what}`, value: firstMs, limit: 200, unit: 'ms' }
          yield {
            what: `Rows ${what}`,
            value: rows / (wholeMs / 1000),
            limit: least,
            atLeast: true,
            unit: '/s',
          }
          yield {
            what: "Highest memory of the file's own process",
            value: file.stop().peak,
            limit: 250,
            unit: 'MB',
          }
          yield {
            what: 'Highest memory of the server meanwhile',
            value: server.stop().peak,
            limit: 250,
            unit: 'MB',
          }
        }
      }
    }
  } finally {
    await console.stop()
  }
}

function download(url: string): Promise<{ firstMs: number; wholeMs: number }> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    let firstMs = 0
    get(url, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`))
      answer.on('data', () => {
        firstMs ||= performance.now() - began
      })
      answer.on('end', () => resolve({ firstMs, wholeMs: performance.now() - began }))
      answer.on('error', reject)
    }).on('error', reject)
  })
}
