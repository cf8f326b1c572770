import type { Fragment, Sql } from '../postgres/pool.ts'

/** Locks the open request for credits of an account, before its holdings, as its parent does to grant it. */
export async function lockRequest(sql: Sql, account: number): Promise<void> {
  await sql`select from credit_request where account = ${account} and state = 'open' for update`
}

/** Ends the open request of an account that is moved or closed, with a sentence for who asked. */
export async function endRequest(
  sql: Sql,
  account: number,
  end: { state: 'withdrawn' | 'declined'; answer: string; at: Date | Fragment },
): Promise<void> {
  await sql`
    update credit_request set state = ${end.state}, answer = ${end.answer}, answered = ${end.at}
    where account = ${account} and state = 'open'`
}
