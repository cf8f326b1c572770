import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import type { Call } from '../../contract/call.ts'
import type { Sql } from '../../server/postgres/pool.ts'
import type { TestServer } from './server.ts'
import type { Person } from './world.ts'

/** Sends the headers of a POST, and its body when the returned function is called, which returns the status. */
export function hold(person: Person, call: Call, input: object): () => Promise<number | undefined> {
  const body = JSON.stringify(input)
  const held = request(`${person.url}/v1${call.path}`, {
    method: 'POST',
    headers: {
      'access-token': person.token,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  })
  const answered = once(held, 'response') as Promise<[IncomingMessage]>
  held.flushHeaders()
  return async () => {
    held.end(body)
    const [{ statusCode }] = await answered
    return statusCode
  }
}

/** Acts in a transaction, which stays open with its locks until the returned function is called. */
export async function holdOpen(
  sql: Sql,
  act: (sql: TransactionSql) => PromiseLike<unknown>,
): Promise<() => Promise<void>> {
  const acted = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = sql.begin(async (sql) => {
    await act(sql)
    acted.resolve()
    await released.promise
  })
  await Promise.race([acted.promise, holding])
  return async () => {
    released.resolve()
    await holding
  }
}

/** Waits until this many transactions wait for a lock. */
export async function somebodyWaits(sql: Pick<TestServer['ownerSql'], 'unsafe'>, many = 1): Promise<void> {
  while ((await waitersOf(sql)).length < many) {
    await pause(5)
    // A transaction would go on to see only the connections that were open at its first look.
    await sql.unsafe('select pg_stat_clear_snapshot()')
  }
}

/** Returns the transactions that wait for a lock: for any, or only for those on a table, or for 'advisory' ones. */
export function waitersOf(
  sql: Pick<TestServer['ownerSql'], 'unsafe'>,
  on: string | null = null,
): Promise<{ pid: number; xact_start: Date }[]> {
  return sql.unsafe(
    `select pid, xact_start from pg_locks join pg_stat_activity using (pid)
     where not granted and datname = current_database()
       and ($1::text is null or locktype = $1 or relation = to_regclass($1))`,
    [on],
  )
}
