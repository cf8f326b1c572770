import type { Call } from '../../contract/call.ts'
import { audit } from '../access/audit.ts'
import { lockSession } from '../access/session.ts'
import type { Caller, OpenContext } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { type Claim, keepReplies } from './idempotency.ts'

/** A call that is carried out, with its key if it has one. */
type Ended = { context: OpenContext & Caller; input: object; claim: Claim | null; output: unknown }

/**
 * Returns the one statement with which changes of one kind end: it appends to the audit and keeps the replies under
 * their keys. It is sent together with the COMMIT.
 * @param session the caller whose session this statement still has to lock: it fails if that has ended. Null where the
 * sessions are locked already.
 */
export function closingStatement(
  sql: Sql,
  call: Call,
  ended: readonly Ended[],
  session: Ended['context'] | null,
): Fragment {
  const acts = ended.map(({ context: { account, address }, input }) => ({ account, address, input }))
  const replies = ended.flatMap(({ context: { account, now }, claim, output }) =>
    claim ? [{ account, now, claim, output }] : [],
  )
  const kept = replies.length > 0 ? sql`, kept as (${keepReplies(sql, call, replies)})` : sql``
  return sql`with audited as (${audit(sql, call, acts)}) ${kept} ${session ? lockSession(session) : sql`select`}`
}
