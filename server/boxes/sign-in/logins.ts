import { timingSafeEqual } from 'node:crypto'
import { BOX_REFUSALS, type BoxRefusal, type ToldRefusal } from '../../../contract/box-refusals.ts'
import { before, MINUTE_MS } from '../../../contract/time.ts'
import { latest } from '../../access/box-nonce.ts'
import { beginTry, endTry, isNetworkClosed, withdrawTry } from '../../access/login-limits.ts'
import { ofClient, type Seal } from '../../access/seal.ts'
import { begin, change } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { Refusal } from '../../refusal.ts'

/** The wrong logins of a MAC within the window after which it is refused for the window. */
const MOST_OF_MAC = 3
/** The right logins of a MAC within the window, each of which leaves a row in `login_try` that is kept for a month. */
const MOST_RIGHT = 10
const WINDOW_MS = 15 * MINUTE_MS
/** For how long a box can hear why its login was refused, in milliseconds. */
export const REFUSED_FOR_MS = 60_000

type LoginContext = { sql: Sql; seal: Seal; now: Date }
type Login = { mac: string; network: string | null; login: string; password: string }

/** A Ministra client whose login and password were right, that password as it is stored (sealed), and the box's try. */
export type RightLogin = { id: number; password: Buffer; attempt: number }

/** Whether a box may try a login now, by a plain read. */
export async function mayTry(
  context: Pick<LoginContext, 'sql' | 'now'>,
  { mac, network }: Pick<Login, 'mac' | 'network'>,
): Promise<boolean> {
  return !(await isMacClosed(context.sql, mac, context.now)) && !(await isNetworkClosed(network, context))
}

/** Whether so many logins of a MAC were tried that it may try none for a while. */
async function isMacClosed(sql: Sql, mac: string, now: Date): Promise<boolean> {
  const [right] = await sql<{ count: number }[]>`
    select count(*) from box_login where mac = ${mac} and succeeded and tried > ${before(now, WINDOW_MS)} and tried <= ${latest(now)}`
  if ((right?.count ?? 0) >= MOST_RIGHT) return true
  const wrong = await sql<{ tried: string }[]>`
    select tried from box_login
    where mac = ${mac} and succeeded is not true and tried > ${before(now, 2 * WINDOW_MS)} and tried <= ${latest(now)}
    order by tried desc limit ${MOST_OF_MAC}`
  const [last, first] = [wrong[0], wrong[MOST_OF_MAC - 1]]
  if (!last || !first) return false
  const [newest, oldest] = [Date.parse(last.tried), Date.parse(first.tried)]
  return newest > now.getTime() - WINDOW_MS && newest - oldest < WINDOW_MS
}

/**
 * Returns the Ministra client with this login and password; null where it is wrong. Wrong ones count for the MAC, and
 * for the address and the login as those of the console do.
 */
export async function clientOfLogin(
  context: LoginContext,
  login: Login,
): Promise<RightLogin | 'too many' | null> {
  const { sql, now } = context
  try {
    const begun = await beginTry(
      { sql, now, network: login.network, gone: null, business: { seal: context.seal } },
      { kind: 'client', name: login.login, workedSeconds: null },
    )
    const attempt = await beginOfMac(sql, login.mac, now)
    if (attempt === null) {
      await withdrawTry(sql, begun)
      return 'too many'
    }
    const client = await clientWith(context, login)
    await endTry(sql, begun, client !== null)
    await change(sql, () => sql`update box_login set succeeded = ${client !== null} where id = ${attempt}`)
    return client && { ...client, attempt }
  } catch (error) {
    if (error instanceof Refusal) return 'too many'
    throw error
  }
}

/** Notes a try of a MAC before its password is checked, so that tries at the same moment all count. */
function beginOfMac(sql: Sql, mac: string, now: Date): Promise<number | null> {
  return begin(sql, async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`box login ${mac}`}, 7))`
    if (await isMacClosed(sql, mac, now)) return null
    const [row] = await sql<{ id: number }[]>`
      insert into box_login (mac, tried) values (${mac}, ${now}) returning id`
    return row?.id ?? null
  })
}

async function clientWith(
  { sql, seal }: LoginContext,
  { login, password }: Login,
): Promise<Omit<RightLogin, 'attempt'> | null> {
  const [client] = await sql<Omit<RightLogin, 'attempt'>[]>`
    select id, password from client where lower(name) = lower(${login}) and ministra and deleted is null`
  if (!client) return null
  const [typed, stored] = [password, seal.open(client.password, ofClient(client.id))].map((text) =>
    seal.hmac(text),
  )
  return typed && stored && timingSafeEqual(typed, stored) ? client : null
}

/**
 * Notes why the right login of a box was refused. `do_auth` is answered by yes or no, so that the box hears it at its
 * next `get_profile`, which it makes with the same token, but maybe of another server.
 */
export async function noteRefusal(
  sql: Sql,
  attempt: number,
  nonce: string,
  refusal: BoxRefusal,
): Promise<void> {
  await change(
    sql,
    () => sql`update box_login set token_nonce = ${nonce}, refusal = ${refusal} where id = ${attempt}`,
  )
}

/**
 * Returns why the login that a box made with this token within so many milliseconds was refused; null where none was.
 */
export async function refusalOfLogin(
  sql: Sql,
  mac: string,
  nonce: string,
  now: Date,
  within = REFUSED_FOR_MS,
): Promise<ToldRefusal | null> {
  const [refused] = await sql<{ refusal: string }[]>`
    select refusal from box_login
    where mac = ${mac} and token_nonce = ${nonce} and tried > ${before(now, within)}
    order by tried desc limit 1`
  if (!refused) return null
  // A later version, which may run on the same database, may have noted a reason of its own.
  return BOX_REFUSALS.find((known) => known === refused.refusal) ?? 'other_reason'
}
