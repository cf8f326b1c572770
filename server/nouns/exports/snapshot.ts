import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'

/** A reader that takes nothing for this long is gone, or might as well be, in milliseconds. */
const STALLED = 30_000

/**
 * Streams what `produce` reads in one snapshot of the database, no faster than it is taken. The transaction, and so
 * its connection, ends with the stream: at its end, when the reader goes away, or when the reader stalls.
 * Answers once the first piece is there, so that a fault until then is an answer of its own; calls `done` once the
 * connection is given back.
 */
export function streamSnapshot(
  sql: Sql,
  produce: (sql: Sql) => AsyncIterable<string | Uint8Array>,
  done: () => void,
): Promise<Readable> {
  const body = new PassThrough()
  // Whoever has the stream hears of its fault; while nobody has, it is in the answer.
  body.on('error', () => {})
  return new Promise((resolve, reject) => {
    begin(sql, async (sql) => {
      await sql`set transaction isolation level repeatable read, read only`
      // The limit of one call's statement is not meant for what is read as slowly as a telephone takes it.
      await sql`set local statement_timeout = 0`
      for await (const piece of produce(sql)) {
        const flowing = body.write(piece)
        resolve(body)
        if (!flowing) await drained(body)
      }
    })
      .then(
        () => body.end(),
        (error: unknown) => {
          reject(error)
          body.destroy(error instanceof Error ? error : new Error(String(error)))
        },
      )
      .finally(done)
  })
}

async function drained(body: PassThrough): Promise<void> {
  const gone = new AbortController()
  const end = () => gone.abort()
  body.once('close', end)
  if (body.destroyed) end()
  try {
    await once(body, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(STALLED)]) })
  } finally {
    body.off('close', end)
  }
}
