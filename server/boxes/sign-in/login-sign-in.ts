import type { BoxRefusal } from '../../../contract/box-refusals.ts'
import { isServedOn, takeBox } from '../../access/device-tokens.ts'
import { lockMac } from '../../postgres/locks.ts'
import type { Sql } from '../../postgres/pool.ts'
import { type BoxClient, type DeviceRow, deviceOf, isLockedElsewhere, refusalOf } from '../client.ts'
import { forgottenAt, hasLeftLast, insertingNotes, takeovers } from './device-notes.ts'
import { withClient } from './locked-client.ts'
import type { RightLogin } from './logins.ts'
import { type Box, hasTokenEnded, type SignIn, type SignInContext, type SignInOutcome } from './sign-in.ts'

/**
 * Whether a box may be on the trial on which its new client lives, where it lives on one; its MAC has had that trial
 * then. `mac` is that of the box, which is locked.
 */
export type MayShareTrial = (
  sql: Sql,
  client: Pick<BoxClient, 'id' | 'dealer' | 'expiry'> & { mac: string },
  now: Date,
) => Promise<boolean>

type LoginContext = SignInContext & { mayShareTrial: MayShareTrial }

/** The most boxes that take a Ministra client over within a day; the next one is refused until a reset. */
const MOST_TAKEOVERS = 3

/**
 * Gives a Ministra client to the box that has just signed in with its login and password. Another box than before takes
 * over, but only three times within a day, and not where the client is locked to another network. One that had left,
 * and that no other has followed, comes back. A box that is another client's may have to stay there, and one that had a
 * trial elsewhere gets no other. Null where the client is gone, or has had another password since this one was found
 * right.
 */
export function bind(
  context: LoginContext,
  { id, password }: RightLogin,
  box: Box,
): Promise<SignInOutcome | null> {
  const { now } = context
  return withClient(context.sql, { id, mac: box.mac }, async (sql, client, before) => {
    const [same] = await sql`select from client where id = ${id} and password = ${password}`
    if (client.mac !== null || !same) return null
    // A box that has signed in to another client in the meantime has left no MAC.
    const isBack = before?.mac === null && (await hasLeftLast(sql, id, box.mac))
    const isAnother = before !== null && before.mac !== box.mac && !isBack
    if (isLockedElsewhere(client, box.place))
      return { client, refusal: refusalOf(client, box.place, context.unserved, now) }
    if (isAnother && (before.takeovers_refused || (await takeovers(sql, id, now)) >= MOST_TAKEOVERS)) {
      const device = deviceOf({ ...before, takeovers_refused: true })
      await sql`update device set takeovers_refused = true where client = ${id}`
      const refusal = refusalOf(client, box.place, context.unserved, now) ?? 'too_many_boxes'
      return { client: { ...client, device }, refusal }
    }
    // Two sign-ins of one box to two clients come one after the other. And the boxes are locked before the dealer's
    // holding, as by whoever gives a client a MAC: ordered, so that two boxes that change places never wait for each
    // other.
    await lockMac(sql, box.mac)
    await sql`select from device where client = ${id} or mac = ${box.mac} order by client for update`
    const [owner] = await sql`select from client where mac = ${box.mac} and deleted is null`
    if (owner) return null
    const forgotten = await forgottenAt(sql, [id], now)
    const [other] = await sql<{ token_nonce: string | null }[]>`
      select token_nonce from device where mac = ${box.mac} and client <> ${id}`
    const isIn = other?.token_nonce === box.nonce
    if (hasTokenEnded(box.nonce, client.device, forgotten.get(id) ?? 0, now, isIn)) return null
    const refusal = other ? await whyItStays({ ...context, sql }, client, { ...box, isIn }) : null
    if (refusal) return { client, refusal }
    const isNew = before?.mac !== box.mac
    if (isNew && !(await context.mayShareTrial(sql, { ...client, mac: box.mac }, now)))
      return { client, refusal: refusalOf(client, box.place, context.unserved, now) ?? 'no_trial' }
    const device = await moveBox(sql, { id, box, now }, before, isAnother)
    const event = isAnother ? 'taken over' : 'first seen'
    if (isNew) await insertingNotes(sql, [{ client: id, now, event, detail: box.mac, place: box.place }])
    return { client: { ...client, device: deviceOf(device) }, refusal: null }
  })
}

/**
 * Returns why the box of another client may not leave that for this one; null where it may. The MAC is a claim, and
 * only the other client's token shows that its box is the one that asks (`isIn`).
 */
async function whyItStays(
  { sql, unserved, now }: SignInContext,
  client: BoxClient,
  { mac, place, isIn }: Box & { isIn: boolean },
): Promise<BoxRefusal | null> {
  const refusal = refusalOf(client, place, unserved, now)
  if (refusal || isIn) return refusal
  return (await isServedOn(sql, mac, now, sql`c.id <> ${client.id}`)) ? 'other_client' : null
}

/**
 * Moves a box to a client, away from the one that it was signed in to. Returns what is stored of the client's box then.
 */
async function moveBox(
  sql: Sql,
  { id, box, now }: Pick<SignIn, 'id' | 'box' | 'now'>,
  before: DeviceRow | null,
  isAnother: boolean,
): Promise<DeviceRow> {
  await takeBox(sql, box.mac, id, now)
  const kept = before === null || isAnother ? UNKNOWN : before
  const device = {
    ...kept,
    mac: box.mac,
    token_nonce: box.nonce,
    locked_to_ip: before?.locked_to_ip ?? null,
    cut: false,
  }
  await sql`
    insert into device ${sql({ client: id, first_seen: now, ...device })}
    on conflict (client) do update set ${sql(device)}`
  return device
}

const UNKNOWN: DeviceRow = {
  mac: null,
  stb_sn: null,
  device_id: null,
  device_id2: null,
  token_nonce: null,
  takeovers_refused: false,
  locked_to_ip: null,
  cut: false,
}
