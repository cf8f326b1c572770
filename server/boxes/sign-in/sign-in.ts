import type { BoxRefusal } from '../../../contract/box-refusals.ts'
import { DAY_MS } from '../../../contract/time.ts'
import { madeAt } from '../../access/box-nonce.ts'
import { begin, sendAhead } from '../../postgres/begin.ts'
import type { Fragment, Sql } from '../../postgres/pool.ts'
import {
  type BoxClient,
  boxClientOf,
  clientRows,
  type Device,
  type DeviceRow,
  deviceOf,
  deviceRowOf,
  identifies,
  macOf,
  type Place,
  refusalOf,
  type SelfReport,
} from '../client.ts'
import { forgottenAt, hasNotedSerial, insertingNotes, type Note } from './device-notes.ts'

/** A box that signs in, with the nonce of its token. */
export type Box = { mac: string; nonce: string; place: Place }

export type SignInContext = { sql: Sql; unserved: ReadonlySet<number>; now: Date }

/** A box that asks to be signed in to a client, and what it says of itself. */
export type SignIn = Omit<SignInContext, 'sql'> & { id: number; box: Box; report: SelfReport }

/** What a sign-in came to: the client as it is now, and why its box may not play; null where it may. */
export type SignInOutcome = { client: BoxClient; refusal: BoxRefusal | null }

/**
 * Signs boxes in to the clients of their MACs, each to another client, in one transaction: judges them, pins what tells
 * them from others, stores what they say of themselves, and makes their tokens the only ones.
 * @param locked whether clients that somebody is changing at this moment are waited for or left out
 * @returns the outcome by the client's id: null where this sign-in is over already, because
 *   - the client is gone or has another MAC by now,
 *   - a new password or another box has put the box of a Ministra client out,
 *   - or a later token or a reset has ended this one
 */
export function signInAll(
  sql: Sql,
  asked: readonly SignIn[],
  locked: 'wait' | 'leave out',
): Promise<Map<number, SignInOutcome | null>> {
  const byId = new Map(asked.map((one) => [one.id, one]))
  return begin(sql, async (sql) => {
    const ids = await lockForSignIn(sql, [...byId.keys()], locked)
    const outcomes = new Map<number, SignInOutcome | null>(ids.map((id) => [id, null]))
    const entered: Entered[] = []
    const rows = await clientRows(sql, ids)
    const withNewToken = rows.filter(({ id, token_nonce }) => token_nonce !== byId.get(id)?.box.nonce)
    const forgotten = await forgottenAt(
      sql,
      withNewToken.map(({ id }) => id),
      (asked[0] as SignIn).now,
    )
    for (const row of rows) {
      const one = byId.get(row.id) as SignIn
      const client = boxClientOf(row)
      if (macOf(client) !== one.box.mac || isPutOut(client, one.box)) continue
      if (hasTokenEnded(one.box.nonce, client.device, forgotten.get(row.id) ?? 0, one.now)) continue
      const refusal = refusalOf(client, one.box.place, one.unserved, one.now, one.report)
      if (refusal) outcomes.set(one.id, { client, refusal })
      else entered.push(enter(one, client, deviceRowOf(row)))
    }
    for (const { client } of entered) outcomes.set(client.id, { client, refusal: null })
    if (entered.length > 0) await sendAhead(sql, storingDevices(sql, entered))
    const notes: Note[] = []
    for (const one of entered) notes.push(...(await notesOf(sql, one)))
    if (notes.length > 0) await sendAhead(sql, insertingNotes(sql, notes))
    return outcomes
  })
}

/**
 * Locks clients and then their devices, and returns which clients are locked with theirs. To lock the clients alone
 * would not do: who gives the MAC of a Ministra client's box to another client changes the device without the client.
 */
async function lockForSignIn(
  sql: Sql,
  asked: readonly number[],
  locked: 'wait' | 'leave out',
): Promise<number[]> {
  const unlessLocked = locked === 'leave out' ? sql`skip locked` : sql``
  const clients = await sql<{ id: number }[]>`
    select id from client where id = any (${[...asked]}::bigint[]) order by id for no key update ${unlessLocked}`
  const ids = clients.map(({ id }) => id)
  const others = await sql<{ client: number }[]>`
    with locked as (
      select client from device where client = any (${ids}::bigint[]) order by client for no key update ${unlessLocked})
    select client from device where client = any (${ids}::bigint[]) except select client from locked`
  const leftOut = new Set(others.map(({ client }) => client))
  return ids.filter((id) => !leftOut.has(id))
}

/** Whether the box of a Ministra client is not the one whose login and password were right last. */
function isPutOut({ mac, device }: BoxClient, { nonce }: Box): boolean {
  return mac === null && device?.token_nonce !== nonce
}

/** How long a token may be kept before a box signs in with it for the first time, in milliseconds. */
const FIRST_USED_WITHIN_MS = DAY_MS

/**
 * Whether the token of a box that signs in is no longer valid. Valid are the token that the client has now, and one
 * that was made since the last reset or new MAC. Unless the box is in with it at another client (`isIn`), the latter
 * must also be newer than the client's own, and at most a day old. So a reset ends a token for all boxes that share it.
 */
export function hasTokenEnded(
  nonce: string,
  device: Device | null,
  forgotten: number,
  now: Date,
  isIn = false,
): boolean {
  const present = device?.token_nonce ?? null
  if (nonce === present) return false
  const made = madeAt(nonce, now)
  if (made === null || made < forgotten) return true
  if (isIn) return false
  const since = present === null ? null : madeAt(present, now)
  return made < Math.max(since ?? 0, now.getTime() - FIRST_USED_WITHIN_MS)
}

/** A box that is let in: its client as it is from now on, and what is stored of it before and from now on. */
type Entered = SignIn & { client: BoxClient; before: DeviceRow | null; device: DeviceRow }

function enter(one: SignIn, client: BoxClient, before: DeviceRow | null): Entered {
  const device = pinned(client, before, one.box, one.report)
  return { ...one, client: { ...client, device: deviceOf(device) }, before, device }
}

/** Returns what the history says of a box that is let in, if it is the first or has another serial number. */
async function notesOf(sql: Sql, { id, client, before, device, box, now }: Entered): Promise<Note[]> {
  const note = { client: id, now, detail: device.stb_sn ?? '', place: box.place }
  if (!before) return [{ ...note, event: 'first seen' }]
  if (before.stb_sn === device.stb_sn) return []
  if (client.mac === null && (await hasNotedSerial(sql, id, now))) return []
  return [{ ...note, event: 'serial number' }]
}

/** Stores the devices of boxes that are in now. What a box does not say of itself stays as it was. */
function storingDevices(sql: Sql, entered: readonly Entered[]): Fragment {
  const pin = (part: Exclude<keyof DeviceRow, 'takeovers_refused' | 'cut'>) =>
    entered.map(({ device }) => device[part])
  const fact = (part: keyof SelfReport) => entered.map(({ report }) => report[part] || null)
  return sql`
    insert into device (client, first_seen, mac, stb_sn, device_id, device_id2, token_nonce, locked_to_ip,
      stb_type, version, image, hardware)
    select * from unnest(${entered.map(({ id }) => id)}::bigint[], ${entered.map(({ now }) => now.toISOString())}::timestamptz[],
      ${pin('mac')}::text[], ${pin('stb_sn')}::text[], ${pin('device_id')}::text[], ${pin('device_id2')}::text[],
      ${pin('token_nonce')}::text[], ${pin('locked_to_ip')}::text[], ${fact('stb_type')}::text[],
      ${fact('version')}::text[], ${fact('image')}::text[], ${fact('hardware')}::text[])
    on conflict (client) do update set mac = excluded.mac, stb_sn = excluded.stb_sn, device_id = excluded.device_id,
      device_id2 = excluded.device_id2, token_nonce = excluded.token_nonce, locked_to_ip = excluded.locked_to_ip,
      cut = false, stb_type = coalesce(excluded.stb_type, device.stb_type),
      version = coalesce(excluded.version, device.version), image = coalesce(excluded.image, device.image),
      hardware = coalesce(excluded.hardware, device.hardware)`
}

/**
 * Returns the device of a client after its box was let in: what was pinned before, and what it reports for the first
 * time.
 */
function pinned(
  { mac, locked }: BoxClient,
  before: DeviceRow | null,
  box: Box,
  report: SelfReport,
): DeviceRow {
  const keep = (part: 'stb_sn' | 'device_id' | 'device_id2') => {
    // A Ministra client may change its box, so that the last one counts.
    const [first, last] = mac === null ? [report[part], before?.[part]] : [before?.[part], report[part]]
    return first && identifies(first) ? first : last && identifies(last) ? last : null
  }
  return {
    mac: mac === null ? box.mac : null,
    stb_sn: keep('stb_sn'),
    device_id: keep('device_id'),
    device_id2: keep('device_id2'),
    token_nonce: box.nonce,
    takeovers_refused: before?.takeovers_refused ?? false,
    locked_to_ip: before?.locked_to_ip ?? (locked ? box.place.network : null),
    cut: false,
  }
}
