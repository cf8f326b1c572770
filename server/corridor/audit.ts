import { type Call, withoutSecrets } from '../../contract/call.ts'
import type { Account, Context } from '../context.ts'
import { sendAhead } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'

/** Appends that an account did something, inside the transaction that does it. */
export async function audit(
  context: Where & { account: Pick<Account, 'id'> },
  call: Call,
  input: object,
): Promise<void> {
  await append(context, context.account.id, call.name, withoutSecrets(call, input))
}

/** Appends that somebody gave a password. `account` is null where the name is nobody's, and then comes as a digest. */
export async function auditLogin(
  context: Where,
  event: 'session.login' | 'session.login.failed' | 'session.password.failed',
  account: number | null,
  name: string,
): Promise<void> {
  await append(context, account, event, { name })
}

/** Appends what was done at the server's own machine, without a session and from no address. */
export async function auditHere(sql: Sql, account: number, event: 'admin.password'): Promise<void> {
  await append({ sql, address: null }, account, event, {})
}

/** A sign-in has no account yet. */
type Where = Pick<Context, 'sql' | 'address'>
type From = Omit<Where, 'address'> & { address: string | null }

/** The database dates it. */
async function append({ sql, address }: From, account: number | null, event: string, detail: object) {
  const appending = sql`
    insert into audit (event, account, address, detail)
    values (${event}, ${account}, ${address}, ${sql.json(detail as never)})`
  await sendAhead(sql, appending)
}
