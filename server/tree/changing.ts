import type { PendingQuery, Row } from 'postgres'
import { LOCKS } from '../postgres/locks.ts'
import type { Sql } from '../postgres/pool.ts'
import { notFound } from '../refusal.ts'
import type { Beneath } from './beneath.ts'

/**
 * Waits until nobody else suspends, moves or closes an account, and keeps them waiting until the transaction ends. So what
 * is read of the tree after this stays as it is, and two changes of the tree never deadlock.
 */
export async function holdTree(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.tree})`
}

export function requireOpen(account: Beneath): Beneath {
  if (account.closed) throw notFound()
  return account
}

/** Locks the open request for credits of an account, before its holdings, as its parent does to grant it. */
export async function holdRequest(sql: Sql, account: number): Promise<void> {
  await sql`select from credit_request where account = ${account} and state = 'open' for update`
}

/** Ends the open request of an account that is moved or closed, with a sentence for who asked. */
export async function endRequest(
  sql: Sql,
  account: number,
  end: { state: 'withdrawn' | 'declined'; answer: string; at: Date | PendingQuery<Row[]> },
): Promise<void> {
  await sql`
    update credit_request set state = ${end.state}, answer = ${end.answer}, answered = ${end.at}
    where account = ${account} and state = 'open'`
}
