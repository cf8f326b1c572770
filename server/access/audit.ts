import { type Call, withoutSecrets } from '../../contract/call.ts'
import type { Account, Context } from '../context.ts'
import { sendAhead } from '../postgres/begin.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { hash } from './seal.ts'

/** The longest input that is kept as it came, in characters of JSON, and the longest of its fields otherwise. */
const LONGEST = 2_500
const LONGEST_FIELD = 200

/** What is noted of a call: whose it is, from where it came and its input. */
type Act = Where & { account: Pick<Account, 'id'>; input: object }

/** Returns the statement that appends a row for each of several calls of one kind. */
export function audit(sql: Sql, call: Call, acts: readonly Act[]): Fragment {
  const rows = acts.map(({ account, address, input }) => {
    return { account: account.id, address, detail: detailOf(call, input) }
  })
  return sql`
    insert into audit (event, account, address, detail)
    select ${call.name}, account, address, detail
    from jsonb_to_recordset(${sql.json(rows as never)}) as act (account bigint, address text, detail jsonb)`
}

/**
 * Returns what is kept of an input. The audit grows for ever, so the long fields of a large input are kept as digests.
 * A change with a long body is kept whole, since it names only clients that exist. An order for a file is not: it may
 * name any number of clients that do not exist.
 */
function detailOf(call: Call, input: object): object {
  const detail = withoutSecrets(call, input)
  if ((call.body === 'long' && call.takesKey) || JSON.stringify(detail).length <= LONGEST) return detail
  const fields = Object.entries(detail).map(([field, value]) => {
    const text = JSON.stringify(value)
    const isShort = text.length <= LONGEST_FIELD
    return [field, isShort ? value : { characters: text.length, sha256: hash(text).toString('hex') }]
  })
  return Object.fromEntries(fields)
}

/** Appends a login or a wrong password. `account` is null where no account has the name, and `name` a digest then. */
export async function auditLogin(
  context: Pick<Context, 'sql' | 'address'>,
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

type Where = Pick<Context, 'address'>
type From = { sql: Sql; address: string | null }

/** The database sets the date and the id of the row. */
function appending({ sql, address }: From, account: number | null, event: string, detail: object) {
  return sql`
    insert into audit (event, account, address, detail)
    values (${event}, ${account}, ${address}, ${sql.json(detail as never)})`
}
