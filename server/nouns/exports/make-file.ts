import { once } from 'node:events'
import { begin, liftLimit, planForValues } from '../../postgres/begin.ts'
import { openPool } from '../../postgres/pool.ts'
import { csv } from './csv.ts'
import type { Fault, FileOrder } from './file-order.ts'
import { clientListing, transactionListing } from './listing.ts'
import { pdf } from './pdf.ts'

// Makes one file in its own process and with its own connection, writes it to stdout and ends. It reads one
// snapshot of the database, no faster than the file is taken.

// A signal is meant for the console, which lets a file finish. If the console itself ends, nobody needs the file.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(1))

const [{ database, wanted, ...asker }] = (await once(process, 'message')) as [FileOrder]
const sql = openPool(database, { max: 1 })
try {
  await begin(
    sql,
    async (sql) => {
      await sql`set transaction isolation level repeatable read`
      // A phone may read the file slowly, so the time limits of a call do not apply. This is the first query, so it
      // also takes the snapshot before any byte of the file is sent.
      await sql`
        select set_config('statement_timeout', '0', true), ${liftLimit(sql)},
          set_config('idle_in_transaction_session_timeout', '90s', true),
          -- Whoever looks for what keeps an old snapshot finds it by this name.
          set_config('application_name', 'boxtree export', true)`
      await planForValues(sql)
      // By default a backend that sorts or waits would go on after this process is gone. Windows cannot notice it.
      await sql`
        select set_config('client_connection_check_interval', '1s', true) where version() ~ 'linux|darwin|freebsd'`
      const asked = { ...asker, sql }
      if (wanted.kind === 'transactions')
        return write(csv(sql, await transactionListing(asked, wanted.selection)))
      const listing = await clientListing(asked, wanted.selection)
      if (wanted.selection.format === 'csv') return write(csv(sql, listing))
      return write(pdf(sql, listing))
    },
    'read only',
  )
  process.exit(0)
} catch (error) {
  const { message, stack, code } = error as Error & { code?: string }
  const fault: Fault = { message, stack, code }
  process.send?.(fault, () => process.exit(1))
}

async function write(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(piece, (error) => (error ? reject(error) : resolve()))
    })
  }
}
