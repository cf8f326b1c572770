import { setTimeout as pause } from 'node:timers/promises'
import { inMinutes } from '../../contract/quantities.ts'
import { before, DAY_MS, HOUR_MS, MINUTE_MS, soonAfter } from '../../contract/time.ts'
import type { Business, OpenContext } from '../context.ts'
import { begin, change } from '../postgres/begin.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'
import { changeForStranger } from './sign-in-turns.ts'

/** What a try is made with. Without a captcha no challenge is offered. */
type TryContext = Pick<OpenContext, 'sql' | 'now' | 'network' | 'gone'> & {
  business: Pick<Business, 'seal'> & Partial<Pick<Business, 'captcha'>>
}

/**
 * What somebody tries: to sign in to an account, to type its present password again, or to sign a box in to a client.
 * The tries of each kind have a count of their own: a stranger types any name at a login.
 */
type Kind = 'login' | 'own' | 'client'

type Try = {
  kind: Kind
  name: string
  /** A phone's work for this try, for this name; null where no challenge can be solved. */
  workedSeconds: number | null
}

export type OpenTry = {
  id: number
  /** As `lockNames` stores it. */
  name: string
}

/** Wrong logins within the window before an address has to wait. */
const MOST_OF_NETWORK = 20
/** Wrong logins of an account within the window before an unknown address has to solve a harder challenge, or wait. */
const MOST_OF_ACCOUNT = 10
const WINDOW_MS = 15 * MINUTE_MS
/** Wrong logins of an account within an hour before an unknown address has to wait in any case. */
const MOST_OF_ACCOUNT_AN_HOUR = 100
/** How long an address that signed in to an account is known there; tries of other addresses do not stop it. */
const KNOWN_FOR_MS = 30 * DAY_MS
/** A try without a result, because its server died, counts as wrong after this time. */
const UNDECIDED_FOR_MS = 30_000
/** How long a try waits for the results of those under way, in milliseconds. */
const DECIDED_WITHIN_MS = 10_000
/** How often it looks whether they have come, in milliseconds. */
const LOOK_EVERY_MS = 50
/** What its caller is told to wait where they have not come in time, in milliseconds. */
const UNDECIDED_WAIT_MS = 1_000

/**
 * Admits a try to the password check, or throws the 429 with the time of the next try, and the challenge that allows
 * one before. Where only tries under way fill a limit, this one waits for their results, so that a burst of wrong ones
 * is stopped, and a burst of right ones is not.
 */
export async function beginTry(context: TryContext, attempt: Try): Promise<OpenTry> {
  const deadline = performance.now() + DECIDED_WITHIN_MS
  const enter = () => begin(context.sql, (begun) => judge({ ...context, sql: begun }, attempt))
  for (;;) {
    // The others have turns already: an account has those of its calls, and a box those of its network.
    const outcome = await (attempt.kind === 'login' ? changeForStranger(context, enter) : enter())
    if ('id' in outcome) return outcome
    if (outcome !== UNDECIDED) throw await tooManyTries(context, attempt, outcome)
    if (performance.now() > deadline)
      throw await tooManyTries(context, attempt, { waitMs: UNDECIDED_WAIT_MS })
    await pause(LOOK_EVERY_MS)
  }
}

/**
 * Admits a try of somebody who is signed in and has to type the present password again. Only wrong ones of such tries
 * close it, for any address: strangers' wrong logins must not keep a dealer from changing the password.
 */
export function beginOwnTry(context: TryContext, name: string): Promise<OpenTry> {
  return beginTry({ ...context, network: null }, { kind: 'own', name, workedSeconds: null })
}

/** Counts a wrong present password as a wrong login of the account, and of the caller's address. */
export async function countWrongLogin({ sql, now, network }: TryContext, name: string): Promise<void> {
  await change(
    sql,
    () => sql`
      insert into login_try (name, address, tried, succeeded)
      values (lower(${name}), ${network ?? 'unknown'}, ${now}, false)`,
  )
}

/**
 * Whether an address has to wait for its next try: a plain read, for which nobody who changes something has to wait.
 */
export async function isNetworkClosed(
  network: string | null,
  { sql, now }: Pick<OpenContext, 'sql' | 'now'>,
): Promise<boolean> {
  const closed = network === null ? null : await networkClosure(network, sql, now)
  return closed !== null && closed !== UNDECIDED
}

export async function endTry(sql: Sql, { id }: OpenTry, succeeded: boolean): Promise<void> {
  await change(sql, () => sql`update login_try set succeeded = ${succeeded} where id = ${id}`)
}

/** Takes a try back whose password was not checked after all: it counts neither as wrong nor as right. */
export async function withdrawTry(sql: Sql, { id }: OpenTry): Promise<void> {
  await change(sql, () => sql`select withdraw_try(${id})`)
}

/**
 * Returns when a wrong password was tried last with a client's login, within 24 hours and since a right one; null where
 * none was.
 * @param login in lower case
 * @param since when the client was created: another one may have had its login before
 */
export async function lastWrongTry(
  { sql, now, business }: Pick<TryContext, 'sql' | 'now' | 'business'>,
  login: string,
  since: string,
): Promise<string | null> {
  const [last] = await sql<{ tried: string; succeeded: boolean }[]>`
    select tried, succeeded from login_try
    where name = ${digestOf('client', login, business.seal)} and tried > ${before(now, DAY_MS)}
      and tried <= ${soonAfter(now)} and tried >= ${since} and succeeded is not null
    order by tried desc limit 1`
  return last && !last.succeeded ? last.tried : null
}

/** Returns the digest that is stored instead of a name. No name has the character that ends the kind. */
function digestOf(kind: Kind, name: string, seal: Business['seal']): string {
  return `digest ${seal.hmac(`login name ${kind}\0${name}`).toString('hex')}`
}

/** How long a limit stays closed, and how much proof of work on a phone opens it earlier. */
type Closed = { waitMs: number; workSeconds?: number }

const UNDECIDED = { waitMs: 0 } as const

async function judge(context: TryContext, { kind, name, workedSeconds }: Try): Promise<OpenTry | Closed> {
  const { sql, now, network } = context
  const stored = await lockNames(context, kind, name)
  const ofAddress = network === null ? null : await networkClosure(network, sql, now)
  const ofAccount = (await isKnown()) ? null : await accountClosure()
  const closed = [ofAddress, ofAccount].filter((one) => one !== null)
  if (closed.length > 0) return closed.find((one) => one !== UNDECIDED) ?? UNDECIDED
  const [row] = await sql<OpenTry[]>`
    insert into login_try (name, address, tried) values (${stored}, ${network ?? 'unknown'}, ${now})
    returning id, name`
  if (!row) throw new Error('a try was not kept')
  return row

  async function isKnown(): Promise<boolean> {
    if (network === null) return false
    const [known] = await sql`
      select from login_try where name = ${stored} and address = ${network} and succeeded
      and tried > ${before(now, KNOWN_FOR_MS)} and tried <= ${soonAfter(now)} limit 1`
    return known !== undefined
  }

  async function accountClosure(): Promise<Closed | null> {
    const tries = await triesOf(sql, sql`name = ${stored}`, MOST_OF_ACCOUNT_AN_HOUR, now)
    const [newest, oldest] = [tries[0], tries[MOST_OF_ACCOUNT_AN_HOUR - 1]]
    if (newest && oldest) return oldest.wrong ? { waitMs: oldest.tried + HOUR_MS - now.getTime() } : UNDECIDED
    const closed = closedBy(tries, attemptsFor(workedSeconds ?? 0), now)
    if (closed === null || closed === UNDECIDED) return closed
    return { ...closed, workSeconds: workAfter(inOneRun(tries, now)) }
  }
}

async function networkClosure(network: string, sql: Sql, now: Date): Promise<Closed | null> {
  const tries = await triesOf(sql, sql`address = ${network}`, MOST_OF_NETWORK, now)
  return closedBy(tries, MOST_OF_NETWORK, now)
}

/**
 * Locks a name and a network until the transaction ends, so that two servers never both admit the last try. Returns the
 * name as it is stored: at a login that of an account in the lower case of the database, by which it finds the account,
 * so that no account has two counts; else a digest, because an unknown name may be a mistyped password.
 */
async function lockNames({ sql, network, business }: TryContext, kind: Kind, name: string): Promise<string> {
  const [typed] = await sql<{ name: string; known: boolean }[]>`
    select name, exists (select from account where lower(account.name) = typed.name) as known
    from lower(${name}) typed (name)`
  const lower = typed?.name ?? ''
  const stored = kind === 'login' && typed?.known ? lower : digestOf(kind, lower, business.seal)
  const locked = [`name ${stored}`, ...(network === null ? [] : [`address ${network}`])]
  await sql`
    select pg_advisory_xact_lock(key) from (
      select hashtextextended(what, 7) as key
      from unnest(${locked}::text[]) what
      order by key
    ) keys`
  return stored
}

/**
 * Returns the newest tries of the last hour that were wrong or have no result yet. What is dated later than now, as by
 * a clock that was ahead, would close an address or an account until then.
 */
async function triesOf(
  sql: Sql,
  whose: Fragment,
  most: number,
  now: Date,
): Promise<{ tried: number; wrong: boolean }[]> {
  const tries = await sql<{ tried: string; wrong: boolean }[]>`
    select tried, succeeded is false or tried <= ${before(now, UNDECIDED_FOR_MS)} as wrong
    from login_try where ${whose} and succeeded is not true and tried > ${before(now, HOUR_MS)}
      and tried <= ${soonAfter(now)}
    order by tried desc limit ${most}`
  return tries.map(({ tried, wrong }) => ({ tried: Date.parse(tried), wrong }))
}

type Tries = Awaited<ReturnType<typeof triesOf>>

/** Returns for how long a limit is closed; null where it allows one more try. */
function closedBy(tries: Tries, most: number, now: Date): Closed | null {
  const last = tries.find(({ wrong }) => wrong)
  if (last && inOneRun(tries, now) >= most) return { waitMs: last.tried + WINDOW_MS - now.getTime() }
  const recent = tries.filter(({ tried, wrong }) => !wrong || tried > now.getTime() - WINDOW_MS)
  return recent.length >= most && recent.some(({ wrong }) => !wrong) ? UNDECIDED : null
}

/** Returns how many wrong tries lie in the window that ends with the last of them; 0 once that is a window ago. */
function inOneRun(tries: Tries, now: Date): number {
  const wrong = tries.filter((one) => one.wrong)
  const last = wrong[0]?.tried
  if (last === undefined || last <= now.getTime() - WINDOW_MS) return 0
  return wrong.filter(({ tried }) => last - tried < WINDOW_MS).length
}

/** Returns how many seconds a phone must compute for a try: 5 after 10 wrong ones, doubled after each 10 more. */
function workAfter(wrong: number): number {
  if (wrong < MOST_OF_ACCOUNT) return 0
  return Math.min(60, 5 * 2 ** (Math.floor(wrong / MOST_OF_ACCOUNT) - 1))
}

/** Returns how many wrong tries there may be before a try needs more than this much work. */
function attemptsFor(workSeconds: number): number {
  let attempts = MOST_OF_ACCOUNT
  while (attempts < MOST_OF_ACCOUNT_AN_HOUR && workAfter(attempts) <= workSeconds) attempts += MOST_OF_ACCOUNT
  return attempts
}

async function tooManyTries(
  context: TryContext,
  { kind, name, workedSeconds }: Try,
  { waitMs, workSeconds }: Closed,
): Promise<Refusal> {
  const { captcha } = context.business
  const retryAfter = waitMs / 1000
  if (workSeconds !== undefined && workedSeconds !== null && captcha?.harderChallenge) {
    return new Refusal(
      'too_many_tries',
      'There were many wrong logins. This device has to solve a longer challenge before the next one.',
      {
        retryAfter,
        challenge: await captcha.harderChallenge(context, name, workSeconds),
      },
    )
  }
  const later = `Please try again in ${inMinutes(waitMs)}.`
  if (kind === 'own') {
    // Whoever is signed in has not logged in wrongly, but typed this field wrongly.
    const message = `The present password was wrong too often. ${later}`
    return new Refusal('too_many_tries', message, { retryAfter, errors: { old_password: message } })
  }
  return new Refusal('too_many_tries', `Too many wrong logins. ${later}`, { retryAfter })
}
