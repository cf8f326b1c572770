import type { Sql } from '../postgres/pool.ts'
import { type BoxClient, type Place, refusalOf } from './client.ts'
import { Unauthorized } from './refusals.ts'
import { withClient } from './sign-in/locked-client.ts'
import type { Answer } from './wire/answers.ts'

/** What a box is told at a poll. An id is that of a row of `box_event`, and empty for what the gateway sees itself. */
type BoxEvent = { id: string; event: EventName; message: string }

type EventName = 'cut_off' | 'cut_on' | 'send_msg' | 'reboot' | 'reload_portal' | 'update_channels'

type Poll = {
  sql: Sql
  nonce: string
  place: Place
  unserved: ReadonlySet<number>
  now: Date
  /** Whether the box obeys `cut_off` and `cut_on`. One that does not is refused instead. */
  obeys: boolean
  /** Whether it has stopped, as it says itself; null where it says nothing, so that what it was told counts. */
  hasStopped: boolean | null
}

/** Whether there may be something to tell a client's box, by what is known of it. Expired events are not told. */
export function waits(
  { device, waits_until }: BoxClient,
  { hasStopped, isCut }: { hasStopped: boolean | null; isCut: boolean },
  now: Date,
): boolean {
  return (device !== null && (hasStopped ?? device.cut) !== isCut) || waits_until > now.getTime()
}

/**
 * Takes what a client's box is to be told next, so that no server tells it again: first that it is cut off or let in
 * again, then the rest in the order in which it was sent. Null where the client is gone.
 * @throws Unauthorized where the box is not the one that is in any more, or is refused and does not obey
 */
export function takeEvent(
  { sql, nonce, place, unserved, now, obeys, hasStopped }: Poll,
  id: number,
): Promise<{ client: BoxClient; event: BoxEvent | null } | null> {
  return withClient(sql, { id }, async (sql, client) => {
    const { device } = client
    if (device?.token_nonce !== nonce) throw new Unauthorized()
    const cut = refusalOf(client, place, unserved, now) !== null
    if (cut && !obeys) throw new Unauthorized()
    if ((hasStopped ?? device.cut) !== cut) {
      await sql`update device set cut = ${cut} where client = ${id}`
      const event: BoxEvent = { id: '', event: cut ? 'cut_off' : 'cut_on', message: '' }
      return { client: { ...client, device: { ...device, cut } }, event }
    }
    const [event = null] = await sql<BoxEvent[]>`
      update box_event set told = ${now} where id = (
        select id from box_event where client = ${id} and told is null and expiry > ${now} order by id limit 1
      )
      returning id::text, event, message`
    const [rest] = await sql<{ waits_until: string | null }[]>`
      select max(expiry) as waits_until from box_event where client = ${id} and told is null`
    const waits_until = rest?.waits_until ? Date.parse(rest.waits_until) : 0
    return { client: { ...client, waits_until }, event }
  })
}

/** Notes that a box has shown a message of its own client. */
export async function confirm(sql: Sql, client: number, id: string, now: Date): Promise<void> {
  if (!/^[1-9]\d{0,17}$/.test(id)) return
  await sql`
    update box_event set confirmed = ${now}
    where id = ${id} and client = ${client} and event = 'send_msg' and told is not null and confirmed is null`
}

/** Returns the answer to a poll that tells an event. */
export function answerOfEvent({ id, event, message }: BoxEvent, now: Date): Answer<'watchdog/get_events'> {
  return {
    data: {
      ...{ msgs: 1, additional_services_on: '1', id, event, msg: message },
      need_confirm: event === 'send_msg' ? 1 : 0,
      ...{ reboot_after_ok: 0, auto_hide_timeout: 0, param1: '', send_time: now.toISOString() },
    },
  }
}
