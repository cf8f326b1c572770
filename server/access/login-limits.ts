import { setTimeout as sleep } from 'node:timers/promises'
import type { PendingQuery, Row } from 'postgres'
import { DAY_MS } from '../../contract/time.ts'
import { begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'

type Try = { name: string; address: string; now: Date }

/** Wrong logins within the window before an account, or an address, has to wait. */
const MOST_OF_ACCOUNT = 10
const MOST_OF_ADDRESS = 20
const WINDOW = 15 * 60_000
/** An address that signed in to an account this recently is not stopped by what others tried there. */
const TRUSTED_FOR = 30 * DAY_MS
/** A try that never ended (its server died) counts as wrong after this. */
const UNDECIDED_FOR = 30_000

/**
 * Lets a try of a name and password through to the check, or throws the 429 that says when to come back.
 * A refused try does not count. Tries still being checked take their place: when only they fill the limit, this one
 * waits for them, so that neither a burst of wrong ones slips through nor a burst of right ones is refused.
 * Answers the try's id.
 */
export async function beginTry(sql: Sql, attempt: Try): Promise<number> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const id = await begin(sql, (begun) => admit(begun, attempt))
    if (id !== null) return id
    if (Date.now() > deadline) throw tooMany(1)
    await sleep(50)
  }
}

/** Says how a try ended. */
export async function endTry(sql: Sql, id: number, succeeded: boolean): Promise<void> {
  await sql`update login_try set succeeded = ${succeeded} where id = ${id}`
}

async function admit(sql: Sql, { name, address, now }: Try): Promise<number | null> {
  // One at a time for a name and for an address, or two servers would each let the last one through. Lower case is
  // the database's, which finds the account: by any other, one account would have several names to be tried under.
  const [locked] = await sql<{ account: string }[]>`
    select account, pg_advisory_xact_lock(key) from (
      select account, hashtextextended(what, 7) as key
      from lower(${name}) account, unnest(array['name ' || account, ${`address ${address}`}]) what
      order by key
    ) keys`
  const account = locked?.account ?? ''
  const [known] = await sql<{ trusted: boolean }[]>`
    select exists (
      select from login_try where name = ${account} and address = ${address} and succeeded
      and tried > ${new Date(now.getTime() - TRUSTED_FOR)}
    ) as trusted`
  const places = [
    await placeFor(sql, sql`address = ${address}`, MOST_OF_ADDRESS, now),
    known?.trusted ? 'free' : await placeFor(sql, sql`name = ${account}`, MOST_OF_ACCOUNT, now),
  ]
  if (places.includes('undecided')) return null
  const [row] = await sql<{ id: number }[]>`
    insert into login_try (name, address, tried) values (${account}, ${address}, ${now}) returning id`
  return row?.id ?? null
}

/** Whether one more try fits under a limit. Throws the 429 where wrong ones alone have filled it. */
async function placeFor(
  sql: Sql,
  whose: PendingQuery<Row[]>,
  most: number,
  now: Date,
): Promise<'free' | 'undecided'> {
  const tries = await sql<{ tried: string; wrong: boolean }[]>`
    select tried, succeeded is false or tried <= ${new Date(now.getTime() - UNDECIDED_FOR)} as wrong
    from login_try where ${whose} and succeeded is not true and tried > ${new Date(now.getTime() - 2 * WINDOW)}
    order by tried desc limit ${most}`
  const wrong = tries.filter((one) => one.wrong).map((one) => Date.parse(one.tried))
  const [last] = wrong
  const first = wrong[most - 1]
  if (last !== undefined && first !== undefined && last - first < WINDOW) {
    const wait = last + WINDOW - now.getTime()
    if (wait > 0) throw tooMany(wait / 1000)
  }
  const recent = tries.filter((one) => !one.wrong || Date.parse(one.tried) > now.getTime() - WINDOW)
  return recent.length >= most && recent.some((one) => !one.wrong) ? 'undecided' : 'free'
}

function tooMany(seconds: number): Refusal {
  const minutes = Math.ceil(seconds / 60)
  return new Refusal(
    'too_many_tries',
    `Too many wrong logins. Please try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    { retryAfter: seconds },
  )
}
