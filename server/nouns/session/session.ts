import { readSettings } from '../../../contract/appearance.ts'
import type { User } from '../../../contract/calls/session.ts'
import type { calls } from '../../../contract/calls.ts'
import { readPreferences } from '../../../contract/preferences.ts'
import { HOUR_MS } from '../../../contract/time.ts'
import { auditLogin } from '../../access/audit.ts'
import { forgetFirstLogin } from '../../access/first-login.ts'
import {
  beginOwnTry,
  beginTry,
  countWrongLogin,
  endTry,
  type OpenTry,
  withdrawTry,
} from '../../access/login-limits.ts'
import { hashPassword, isPassword } from '../../access/password.ts'
import { hash, randomToken } from '../../access/seal.ts'
import { accountOf, noSession } from '../../access/session.ts'
import type { Account, Context, Handlers, OpenContext } from '../../context.ts'
import { begin } from '../../postgres/begin.ts'
import { fieldRefusal, Refusal } from '../../refusal.ts'
import { balanceOf } from '../../tree/account.ts'
import { lockPath } from '../../tree/locks.ts'
import { suspensionOf } from '../../tree/suspension.ts'
import { keepSignIn, signIns } from './sign-ins.ts'

/** One hour from login, in milliseconds. */
const LIFE_MS = HOUR_MS

export const session: Omit<Handlers<typeof calls.session>, 'savePreferences'> = {
  ...signIns,

  captcha: (context) => context.business.captcha.challenge(context),

  // Captcha and password are checked before a transaction begins, so that a flood of logins holds no connection.
  async login(context, input) {
    const { sql, business } = context
    const { login_username: name, login_password: password } = input
    const workedSeconds = await business.captcha.check(context, input.g_recaptcha_response, name)
    const attempt = await beginTry(context, { kind: 'login', name, workedSeconds })
    const token = randomToken()
    const [known, user] = await checkOrWithdraw(context, attempt, async () => {
      const [known] = await sql<Known[]>`
        select id, name, password from account where lower(name) = lower(${name}) and closed is null`
      const right = await isPassword(password, known?.password, context)
      return [known, known && right ? await signIn(context, known, attempt, hash(token)) : null] as const
    })
    if (user instanceof Refusal) throw user
    if (!user) {
      await keepFailure(context, attempt, known, 'session.login.failed')
      throw new Refusal('wrong_login', 'The username or the password is wrong.')
    }
    await forgetFirstLogin(business)
    return { status: 'OK', token, ...user }
  },

  // If two logouts come at once, the first ends the session and the second finds none.
  async logout({ sql, session }) {
    const [row] = await sql<{ ended: boolean }[]>`select end_session(${session}) as ended`
    if (!row?.ended) throw noSession()
    return { status: 'OK' }
  },

  user: userOf,

  password: {
    async outside(context, { old_password, password }, begin) {
      const { sql, account } = context
      const attempt = await beginOwnTry(context, account.name)
      const [own, right, next] = await checkOrWithdraw(context, attempt, async () => {
        const [own] = await sql<{ password: string }[]>`select password from account where id = ${account.id}`
        const right = await isPassword(old_password, own?.password, context)
        return [own, right, right ? await hashPassword(password, context) : null] as const
      })
      const done = await begin(async ({ sql, session }) => {
        if (!own || next === null) throw wrongPassword()
        // If several changes come at once, the first makes the old password of the others wrong.
        const changed = await sql`
          update account set password = ${next} where id = ${account.id} and password = ${own.password}`
        if (changed.count === 0) throw wrongPassword()
        await sql`select end_sessions(${account.id}, ${session})`
        await sql`select remove_tickets(${session})`
        return { status: 'OK' }
      }).catch(async (error) => {
        const isWrong = !right && error instanceof Refusal && error.code === 'wrong_password'
        await (isWrong
          ? keepFailure(context, attempt, account, 'session.password.failed')
          : endTry(sql, attempt, right))
        throw error
      })
      // The password is changed whatever becomes of this: a try without a result counts as wrong after a while.
      await endTry(sql, attempt, true).catch(() => {})
      return done
    },
  },

  async users({ sql, account }) {
    return sql<{ name: string; role: Account['role'] }[]>`
      select name, role from account
      where closed is null
        and (${account.role === 'admin'} or id = ${account.id} or parent = ${account.id} or superreseller = ${account.id})
      order by lower(name)`
  },
}

type Known = { id: number; name: string; password: string }

/** Returns what `check` finds of a password. Where that fails, as for want of a turn, the try does not count. */
async function checkOrWithdraw<Result>(
  { sql }: OpenContext,
  attempt: OpenTry,
  check: () => Promise<Result>,
): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    await withdrawTry(sql, attempt)
    throw error
  }
}

/**
 * Records a wrong password, all of it or nothing. A login takes the same time whether there is an account of that name
 * or not: one transaction, of as many round trips.
 */
function keepFailure(
  context: OpenContext,
  attempt: OpenTry,
  known: Pick<Known, 'id' | 'name'> | undefined,
  event: 'session.login.failed' | 'session.password.failed',
): Promise<void> {
  return begin(context.sql, async (sql) => {
    const inside = { ...context, sql }
    if (known) await keepSignIn(inside, known.id, 'failed')
    await auditLogin(inside, event, known?.id ?? null, known?.name ?? attempt.name)
    if (known && event === 'session.password.failed') await countWrongLogin(inside, known.name)
    await endTry(sql, attempt, false)
  })
}

/** Returns null if the password has changed since it was checked, and a refusal if the account is suspended. */
async function signIn(context: OpenContext, known: Known, attempt: OpenTry, session: Buffer) {
  const { now } = context
  return begin(context.sql, async (sql) => {
    // A change of the password locks the account too. It either waits for this session and ends it, or came first and
    // is found here.
    const [same] = await sql`
      select from account where id = ${known.id} and password = ${known.password} and closed is null for share`
    if (!same) return null
    const inside = { ...context, sql }
    await endTry(sql, attempt, true)
    await lockPath(sql, known.id)
    const suspension = await suspensionOf(sql, known.id)
    if (suspension) {
      await auditLogin(inside, 'session.login.suspended', known.id, known.name)
      await keepSignIn(inside, known.id, 'suspended')
      return suspension
    }
    await sql`
      insert into session (token_hash, account, created, expiry, address, agent)
      values (
        ${session}, ${known.id}, ${now}, ${new Date(now.getTime() + LIFE_MS)}, ${context.address}, ${context.agent})`
    await keepSignIn(inside, known.id, 'succeeded')
    await auditLogin(inside, 'session.login', known.id, known.name)
    const account = await accountOf(sql, session, now)
    if (!account) throw noSession()
    return userOf({ ...inside, session, account })
  })
}

function wrongPassword(): Refusal {
  return fieldRefusal('wrong_password', 'old_password', 'The present password is not right.')
}

async function userOf({ sql, now, business, account, session }: Context): Promise<User> {
  const [row] = await sql<{ expiry: string; settings: unknown; preferences: unknown }[]>`
    select s.expiry, a.settings, a.preferences from session s join account a on a.id = s.account where s.token_hash = ${session}`
  if (!row) throw noSession()
  return {
    login_username: account.name,
    name: account.name,
    role: account.role,
    credits: account.role === 'admin' ? null : await balanceOf(sql, account),
    expiry: row.expiry,
    settings: readSettings(row.settings),
    preferences: readPreferences(row.preferences),
    time_zone: business.zone,
    now: now.toISOString(),
  }
}
