import type { Call } from '../../contract/call.ts'
import { audit } from '../access/audit.ts'
import { lockSession } from '../access/session.ts'
import type { Caller, OpenContext } from '../context.ts'
import type { Fragment } from '../postgres/pool.ts'
import { type Claim, keepReply } from './idempotency.ts'

/**
 * Returns the one statement with which a change ends: it appends to the audit, keeps the reply under the key, and fails
 * where the session has ended. It is sent together with the COMMIT.
 */
export function ending(
  context: OpenContext & Caller,
  call: Call,
  input: object,
  claim: Claim | null,
  output: unknown,
): Fragment {
  const { sql } = context
  const audited = sql`audited as (${audit(context, call, input)})`
  const kept = claim ? sql`, kept as (${keepReply(context, call, claim, output)})` : sql``
  return sql`with ${audited} ${kept} ${call.endsSession ? sql`select` : lockSession(context)}`
}
