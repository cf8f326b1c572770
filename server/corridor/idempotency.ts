import type { FastifyRequest } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { before, KEY_LIFE_MS } from '../../contract/time.ts'
import type { Context } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
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
  const asked = askedClaim(context, call, request)
  if (asked === null) return null
  const { sql, account, now } = context
  const [kept = null] = await sql<NonNullable<Claim['kept']>[]>`
    select body_hmac, reply from claim_key(${account.id}, ${call.name}, ${asked.key}, ${since(now)})`
  return { ...asked, kept }
}

/**
 * Claims the keys of several requests of one kind. Left out are requests that are not the first with their key, and
 * those whose key another transaction has claimed: this waits for nobody. Returns the claims; null for a request
 * without a key, and undefined for one that was left out.
 */
export async function claimFreeKeys(
  sql: Sql,
  call: Call,
  requests: readonly { context: KeyContext; request: FastifyRequest }[],
  now: Date,
): Promise<(Claim | null | undefined)[]> {
  const asked = requests.map(({ context, request }) => {
    const claim = askedClaim(context, call, request)
    const { id: account } = context.account
    return claim && { claim, account, name: `${account} ${claim.key}` }
  })
  const firsts = new Map<string, NonNullable<(typeof asked)[number]>>()
  for (const one of asked) if (one && !firsts.has(one.name)) firsts.set(one.name, one)
  const accounts = [...firsts.values()].map(({ account }) => account)
  const keys = [...firsts.values()].map(({ claim }) => claim.key)
  const [claimed, kept] =
    keys.length === 0
      ? [[], []]
      : await Promise.all([
          // The same lock as that of `claim_key` in db/accounts.sql.
          sql<AccountKey[]>`
            select account, key from unnest(${accounts}::bigint[], ${keys}::text[]) asked (account, key)
            where pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', account, ${call.name}::text, key), 0))`,
          // In a statement of its own, which sees what was stored by a transaction that has just given its key free.
          sql<AccountKey[]>`
            select asked.account, asked.key from unnest(${accounts}::bigint[], ${keys}::text[]) asked (account, key)
            cross join lateral (
              select from idempotency_key k
              where k.account = asked.account and k.call = ${call.name} and k.key = asked.key
                and k.created > ${since(now)} limit 1
            ) kept`,
        ])
  const free = new Set(claimed.map(({ account, key }) => `${account} ${key}`))
  for (const { account, key } of kept) free.delete(`${account} ${key}`)
  return asked.map((one) => {
    if (one === null) return null
    return firsts.get(one.name) === one && free.has(one.name) ? { ...one.claim, kept: null } : undefined
  })
}

type AskedClaim = Omit<Claim, 'kept'>
type AccountKey = { account: number; key: string }

/** Returns the key that a request names, with the HMAC of its body; null where it names none. */
function askedClaim({ business }: KeyContext, call: Call, request: FastifyRequest): AskedClaim | null {
  if (!hasKey(call, request)) return null
  return { key: keyOf(request), hmac: business.seal.hmac(JSON.stringify(request.body ?? {})) }
}

function since(now: Date): Date {
  return before(now, KEY_LIFE_MS)
}

/**
 * Returns the kept output of the first call with the key, and undefined for the first call itself.
 * @throws Refusal where the key was used with another body
 */
export function repeated(call: Call, claim: Claim | null): unknown {
  if (!claim?.kept) return undefined
  // jsonb does not keep the order of the fields; `parse` restores that of the contract.
  const { body_hmac } = claim.kept
  // A rotation of the secret key has emptied the HMAC, so there is nothing to compare: it counts as the same body.
  if (body_hmac.length === 0 || body_hmac.equals(claim.hmac)) return call.output.parse(claim.kept.reply)
  throw new Refusal('key_reused', 'This Idempotency-Key was used for something else.')
}

/** A claimed key, and the output that is kept under it. */
type Kept = { account: Pick<Context['account'], 'id'>; now: Date; claim: Claim; output: unknown }

/** Returns the statement that keeps outputs under claimed keys. Key, effect and output are one transaction. */
export function keepReplies(sql: Sql, call: Call, replies: readonly Kept[]): Fragment {
  const rows = replies.map(({ account, now, claim: { key, hmac }, output }) => {
    return { account: account.id, key, body_hmac: hmac.toString('hex'), reply: output, created: now }
  })
  return sql`
    insert into idempotency_key (account, call, key, body_hmac, reply, created)
    select account, ${call.name}, key, decode(body_hmac, 'hex'), reply, created
    from jsonb_to_recordset(${sql.json(rows as never)})
      as kept (account bigint, key text, body_hmac text, reply jsonb, created timestamptz)
    on conflict (account, call, key)
      do update set body_hmac = excluded.body_hmac, reply = excluded.reply, created = excluded.created`
}

/** Whether a request has a key, under which the reply of its call is kept. */
export function hasKey(call: Call, { headers }: FastifyRequest): boolean {
  return call.takesKey && headers['idempotency-key'] !== undefined
}

type KeyContext = Pick<Context, 'sql' | 'now' | 'business'> & { account: Pick<Context['account'], 'id'> }

function keyOf(request: FastifyRequest): string {
  const key = request.headers['idempotency-key']
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Refusal('invalid_input', 'An Idempotency-Key has 1 to 255 visible ASCII characters.')
}
