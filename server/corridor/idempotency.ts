import type { FastifyRequest } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { DAY_MS } from '../../contract/time.ts'
import type { Context } from '../context.ts'
import { sendAhead } from '../postgres/begin.ts'
import { Refusal } from '../refusal.ts'

/**
 * Runs a call once for each Idempotency-Key, and returns the output of the first run for the same key and body. Key,
 * effect and output are stored in one transaction, so that a refusal stores nothing, and neither does a call that found
 * nothing to change: its repeat is judged anew. Of the body only an HMAC is stored.
 */
export async function runOncePerKey(
  context: Context,
  call: Call,
  request: FastifyRequest,
  act: () => Promise<unknown>,
): Promise<unknown> {
  const key = keyOf(request)
  if (key === undefined || !call.takesKey) return act()
  const { sql, account, now, business } = context
  const { name } = call
  const hmac = business.seal.hmac(JSON.stringify(request.body ?? {}))
  // A concurrent call with the same key waits here until this transaction has ended.
  const [first] = await sql`
    insert into idempotency_key (account, call, key, body_hmac, created)
    values (${account.id}, ${name}, ${key}, ${hmac}, ${now})
    on conflict (account, call, key) do update set body_hmac = excluded.body_hmac, created = excluded.created, reply = null
      where idempotency_key.created <= ${new Date(now.getTime() - KEPT)}
    returning true as mine`
  // jsonb does not keep the order of the fields; `parse` restores that of the contract.
  if (!first) return call.output.parse(await repeat(context, name, key, hmac))
  const reply = await act()
  const keeping = sql`
    update idempotency_key set reply = ${sql.json(reply as never)}
    where account = ${account.id} and call = ${name} and key = ${key}`
  await sendAhead(sql, keeping)
  return reply
}

export const KEPT = DAY_MS

async function repeat({ sql, account }: Context, name: string, key: string, hmac: Buffer): Promise<unknown> {
  const [kept] = await sql<{ body_hmac: Buffer; reply: unknown }[]>`
    select body_hmac, reply from idempotency_key where account = ${account.id} and call = ${name} and key = ${key}`
  if (kept?.body_hmac.equals(hmac)) return kept.reply
  throw new Refusal('key_reused', 'This Idempotency-Key was used for something else.')
}

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Refusal('invalid_input', 'An Idempotency-Key has 1 to 255 visible ASCII characters.')
}
