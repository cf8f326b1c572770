import type { FastifyRequest } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { DAY_MS } from '../../contract/time.ts'
import type { Context } from '../context.ts'
import type { Fragment } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'

/** The Idempotency-Key of a call, which this transaction alone has until it ends. */
export type Claim = {
  key: string
  hmac: Buffer
  /** What is kept under the key; null where this is the first call with it. */
  kept: { body_hmac: Buffer; reply: unknown } | null
}

/**
 * Claims the key of a request, so that a call has one effect for each key: a concurrent call with the same key waits
 * here. Returns null for a call without a key. Of the body only an HMAC is stored. A refusal stores nothing, and
 * neither does a call that found nothing to change: its repeat is judged anew.
 */
export async function claimKey(
  context: KeyContext,
  call: Call,
  request: FastifyRequest,
): Promise<Claim | null> {
  const key = call.takesKey ? keyOf(request) : undefined
  if (key === undefined) return null
  const { sql, account, now, business } = context
  const hmac = business.seal.hmac(JSON.stringify(request.body ?? {}))
  const since = new Date(now.getTime() - KEPT)
  const [kept = null] = await sql<NonNullable<Claim['kept']>[]>`
    select body_hmac, reply from claim_key(${account.id}, ${call.name}, ${key}, ${since})`
  return { key, hmac, kept }
}

/**
 * Returns the kept output of the first call with the key, and undefined for the first call itself.
 * @throws Refusal where the key was used with another body
 */
export function repeated(call: Call, claim: Claim | null): unknown {
  if (!claim?.kept) return undefined
  // jsonb does not keep the order of the fields; `parse` restores that of the contract.
  if (claim.kept.body_hmac.equals(claim.hmac)) return call.output.parse(claim.kept.reply)
  throw new Refusal('key_reused', 'This Idempotency-Key was used for something else.')
}

/** Returns the statement that keeps an output under a claimed key. Key, effect and output are one transaction. */
export function keepReply(
  { sql, account, now }: KeyContext,
  call: Call,
  { key, hmac }: Claim,
  output: unknown,
): Fragment {
  return sql`
    insert into idempotency_key (account, call, key, body_hmac, reply, created)
    values (${account.id}, ${call.name}, ${key}, ${hmac}, ${sql.json(output as never)}, ${now})
    on conflict (account, call, key)
      do update set body_hmac = excluded.body_hmac, reply = excluded.reply, created = excluded.created`
}

export const KEPT = DAY_MS

type KeyContext = Pick<Context, 'sql' | 'now' | 'business'> & { account: Pick<Context['account'], 'id'> }

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Refusal('invalid_input', 'An Idempotency-Key has 1 to 255 visible ASCII characters.')
}
