import { get } from 'node:http'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import type { Figure } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions, withDatabaseOf } from './people.ts'
import { watchMemory } from './watch.ts'

/** Measures the admin's CSV of a million clients: the first byte, the rows per second and the server's memory. */
export async function* exportFigures({ million }: Folders): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir: million })
  const connection = await Connection.open(console.url)
  try {
    const { admin } = await withDatabaseOf(million, openSessions)
    for (const sort of ['name', 'expiry']) {
      const body = JSON.stringify({ format: 'csv', search: '', sort, order: 'asc', filter: 'all' })
      // The first download reads from the disk, the second from the cache.
      for (const time of ['first', 'again']) {
        const answer = await connection.post('/v1/admin/clients/export', admin.token, body)
        const { ticket } = JSON.parse(answer) as { ticket: string }
        const memory = watchMemory(console.process.pid)
        const { firstMs, wholeMs, rows } = await download(`${console.url}/v1/exports/${ticket}`)
        const { peak } = memory.stop()
        const what = `of ${rows.toLocaleString('en-US')} clients by ${sort}, ${time}`
        yield { what: `First byte ${what}`, value: firstMs, limit: 200, unit: 'ms' }
        yield {
          what: `Rows ${what}`,
          value: rows / (wholeMs / 1000),
          limit: 100_000,
          atLeast: true,
          unit: '/s',
        }
        yield { what: 'Highest memory of the server meanwhile', value: peak, limit: 250, unit: 'MB' }
      }
    }
  } finally {
    connection.close()
    await console.stop()
  }
}

function download(url: string): Promise<{ firstMs: number; wholeMs: number; rows: number }> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    let firstMs = 0
    let lines = 0
    get(url, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`))
      answer.on('data', (piece: Buffer) => {
        firstMs ||= performance.now() - began
        for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1
      })
      answer.on('end', () => resolve({ firstMs, wholeMs: performance.now() - began, rows: lines - 1 }))
      answer.on('error', reject)
    }).on('error', reject)
  })
}
