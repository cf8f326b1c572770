import { soonAfter } from '../../contract/time.ts'
import type { Account, Caller, Context, OpenContext } from '../context.ts'
import { codeOf, constraintOf } from '../postgres/errors.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'
import { accountColumns, accountHoldings, findAccount } from '../tree/account.ts'
import { suspended, suspensionOf } from '../tree/suspension.ts'

/** Returns the account of a call's session as it is when the call acts. @throws Refusal that says why it has ended */
export async function whoIsStill({ sql, session, now, account }: OpenContext & Caller): Promise<Account> {
  const still = await accountOf(sql, session, now)
  if (!still) throw await endedRefusal(sql, account)
  return still
}

/** Finds the account of a session that goes on. Whether it is suspended is read anew each time. */
export function accountOf(sql: Sql, session: Buffer, now: Date): Promise<Account | undefined> {
  const isItsAccount = sql`
    a.id = (select s.account from session s where s.token_hash = ${session} and ${goesOn(sql, now)})
    and not ${suspended(sql)}`
  return findAccount(sql, isItsAccount)
}

/**
 * Returns the condition that the session `s` goes on. One that began later than now, while the clock was ahead, would
 * last far beyond its hour.
 */
export function goesOn(sql: Sql, now: Date): Fragment {
  return sql`s.expiry > ${now} and s.created <= ${soonAfter(now)}`
}

/**
 * Locks sessions that still go on, until the transaction ends, and finds their accounts as they are now. Left out are
 * sessions that another transaction is ending, and those of suspended accounts: this waits for nobody. Returns the
 * accounts by the hashes of the sessions' tokens in hexadecimal.
 */
export async function holdFreeSessions(
  sql: Sql,
  sessions: readonly Buffer[],
  now: Date,
): Promise<Map<string, Account>> {
  const asked = [...new Set(sessions.map((session) => session.toString('hex')))]
  // The limit has the same reason as that of `ownersOf` in `session-lookup.ts`.
  const found = await sql<(Account & { session: string })[]>`
    select asked.hex as session, ${accountColumns(sql)}
    from unnest(${asked}::text[]) asked (hex)
    cross join lateral (
      select s.account from session s where s.token_hash = decode(asked.hex, 'hex') and ${goesOn(sql, now)}
      limit 1 for key share skip locked
    ) held
    join account a on a.id = held.account ${accountHoldings(sql)}
    where not ${suspended(sql)}`
  return new Map(found.map(({ session, ...account }) => [session, account]))
}

/**
 * Returns the statement that locks the session until the transaction ends, and fails the transaction if it has ended
 * (see `hasEnded`). A call does this last: a logout, a change of the password or a suspension may then wait for the
 * call, but the call never waits for a lock that they hold.
 */
export function lockSession({ sql, session, now }: Pick<Context, 'sql' | 'session' | 'now'>): Fragment {
  return sql`select hold_session(${session}, ${now})`
}

/** What the database refuses to store for a session that is gone, or for an account that is closed. */
const NEED_A_SESSION = ['export_ticket_session_fk', 'account_closed_check']

export function hasEnded(error: unknown): boolean {
  return codeOf(error) === 'BX401' || NEED_A_SESSION.includes(constraintOf(error))
}

/** Returns the refusal of a call whose session ended after it had arrived. */
export async function endedRefusal(sql: Sql, { id }: Pick<Account, 'id'>): Promise<Refusal> {
  return (await suspensionOf(sql, id)) ?? noSession()
}

export function noSession(): Refusal {
  return new Refusal('no_session', 'Your session has ended. Please sign in again.')
}
