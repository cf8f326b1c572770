import { type Call, withoutSecrets } from '../../contract/call.ts'
import type { Account, Context } from '../context.ts'
import { sendAhead } from '../postgres/begin.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/** Returns the statement that appends a row for a call. */
export function audit(
  context: Where & { account: Pick<Account, 'id'> },
  call: Call,
  input: object,
): Fragment {
  return appending(context, context.account.id, call.name, withoutSecrets(call, input))
}

/** Where no account has the name, `account` is null and `name` a digest. */
export async function auditLogin(
  context: Where,
  event: 'session.login' | 'session.login.failed' | 'session.login.suspended' | 'session.password.failed',
  account: number | null,
  name: string,
): Promise<void> {
  await sendAhead(context.sql, appending(context, account, event, { name }))
}

/** Appends a row for a command run on the server's own machine, which has no session and no address. */
export async function auditHere(sql: Sql, account: number, event: 'admin.password'): Promise<void> {
  await sendAhead(sql, appending({ sql, address: null }, account, event, {}))
}

type Where = Pick<Context, 'sql' | 'address'>
type From = Omit<Where, 'address'> & { address: string | null }

/** The database sets the date and the id of the row. */
function appending({ sql, address }: From, account: number | null, event: string, detail: object) {
  return sql`
    insert into audit (event, account, address, detail)
    values (${event}, ${account}, ${address}, ${sql.json(detail as never)})`
}
