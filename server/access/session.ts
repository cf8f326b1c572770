import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_SETTINGS, Settings } from '../../contract/appearance.ts'
import type { calls, User } from '../../contract/calls.ts'
import type { Account, Context, Handlers } from '../context.ts'
import { auditLogin } from '../corridor/audit.ts'
import { begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { Refusal, refuseField } from '../refusal.ts'
import { findAccount } from '../tree/account.ts'
import { beginTry, endTry } from './login-limits.ts'
import { hashPassword, isPassword } from './password.ts'
import { hash, randomToken } from './seal.ts'

/** One hour from login, in milliseconds. */
const LIFE = 3_600_000

/** Sessions: beginning, restoring and ending one, and what belongs to the person who has it. */
export const session: Handlers<typeof calls.session> = {
  captcha: ({ business, now }) => business.captcha.challenge(now),

  // Captcha and password are checked before anything begins, so that a flood of logins holds no connection.
  async login(context, input) {
    const { sql, now, business, address } = context
    await business.captcha.check({ sql, now, address }, input.g_recaptcha_response)
    const attempt = await beginTry(sql, { name: input.login_username, address, now })
    const [known] = await sql<{ id: number; password: string }[]>`
      select id, password from account where lower(name) = lower(${input.login_username})`
    const right = await isPassword(input.login_password, known?.password)
    if (!known || !right) {
      await endTry(sql, attempt, false)
      await auditLogin(context, 'session.login.failed', known?.id ?? null, input.login_username)
      throw new Refusal('wrong_login', 'The username or the password is wrong.')
    }
    const token = randomToken()
    const user = await begin(sql, async (begun) => {
      const inside = { ...context, sql: begun }
      await endTry(inside.sql, attempt, true)
      await inside.sql`
        insert into session (token_hash, account, created, expiry)
        values (${hash(token)}, ${known.id}, ${now}, ${new Date(now.getTime() + LIFE)})`
      await auditLogin(inside, 'session.login', known.id, input.login_username)
      return userOf(inside, hash(token))
    })
    await rm(join(business.dataDir, 'first-login'), { force: true })
    return { status: 'OK', token, ...user }
  },

  async logout({ sql, session }) {
    await sql`delete from session where token_hash = ${session}`
    return { status: 'OK' }
  },

  user: (context) => userOf(context, context.session),

  async password({ sql, account, session }, { old_password, password }) {
    const [own] = await sql<{ password: string }[]>`
      select password from account where id = ${account.id} for no key update`
    if (!(await isPassword(old_password, own?.password))) {
      throw refuseField('wrong_password', 'old_password', 'The present password is not right.')
    }
    await sql`update account set password = ${await hashPassword(password)} where id = ${account.id}`
    await sql`delete from session where account = ${account.id} and token_hash <> ${session}`
    await sql`delete from export_ticket where session = ${session}`
    return { status: 'OK' }
  },

  async users({ sql, account }) {
    return sql<{ name: string; role: Account['role'] }[]>`
      select name, role from account
      where ${account.role === 'admin'} or id = ${account.id} or parent = ${account.id} or superreseller = ${account.id}
      order by lower(name)`
  },
}

/** Whose session a token is of. Throws the 401 of a token that is unknown, ended or past its hour. */
export async function whoIs(
  sql: Sql,
  token: string,
  now: Date,
): Promise<{ account: Account; session: Buffer }> {
  const tokenHash = hash(token)
  const account = await findAccount(
    sql,
    sql`a.id = (select s.account from session s where s.token_hash = ${tokenHash} and s.expiry > ${now})`,
  )
  if (!account) throw new Refusal('no_session', 'Your session has ended. Please sign in again.')
  return { account, session: tokenHash }
}

/** Works before a session's account is known as well as after. */
type Asked = Pick<Context, 'sql' | 'now' | 'business'>

async function userOf({ sql, now, business }: Asked, session: Buffer): Promise<User> {
  const [user] = await sql<(Omit<User, 'settings' | 'time_zone' | 'now'> & { settings: unknown })[]>`
    select a.name as login_username, a.name, a.role, a.settings, s.expiry,
      case when h.kind = 'balance' then h.balance end as credits
    from session s join account a on a.id = s.account
    join holding h on h.account = a.id and h.kind in ('balance', 'issue')
    where s.token_hash = ${session}`
  if (!user) throw new Refusal('no_session', 'Your session has ended. Please sign in again.')
  const settings = Settings.safeParse(user.settings)
  return {
    ...user,
    settings: settings.success ? settings.data : DEFAULT_SETTINGS,
    time_zone: business.zone,
    now: now.toISOString(),
  }
}
