import { before, DAY_MS, HOUR_MS, soonAfter } from '../../../contract/time.ts'
import { latest } from '../../access/box-nonce.ts'
import type { Fragment, Sql } from '../../postgres/pool.ts'
import type { Place } from '../client.ts'

/**
 * Returns when the boxes of clients were forgotten last, by a reset or a new MAC, in milliseconds since 1970. What a
 * clock that was ahead has noted is left out, or no box would be let in before that moment. A token of the day before
 * such a reset counts again then.
 */
export async function forgottenAt(
  sql: Sql,
  clients: readonly number[],
  now: Date,
): Promise<Map<number, number>> {
  if (clients.length === 0) return new Map()
  const rows = await sql<{ client: number; at: string }[]>`
    select client, max(at) as at from device_history
    where client = any (${clients}::bigint[]) and event in ('reset', 'new MAC') and at <= ${latest(now)} group by client`
  return new Map(rows.map(({ client, at }) => [client, Date.parse(at)]))
}

/** Counts how often another box has taken a client over within a day and since its box was forgotten last. */
export async function takeovers(sql: Sql, client: number, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from device_history
    where client = ${client} and event = 'taken over' and mac_before is null and at > ${before(now, DAY_MS)}
      and at <= ${soonAfter(now)}
      and id > coalesce(
        (select max(id) from device_history where client = ${client} and event in ('reset', 'new MAC')), 0)`
  return row?.count ?? 0
}

/** Whether the last that the history of a client says is that the box with this MAC has left it for another client. */
export async function hasLeftLast(sql: Sql, client: number, mac: string): Promise<boolean> {
  const [last] = await sql<{ event: string; mac_before: string | null }[]>`
    select event, mac_before from device_history where client = ${client} order by id desc limit 1`
  return last?.event === 'taken over' && last.mac_before === mac
}

/** Whether another serial number of a client's box was noted within an hour and since the last box took over. */
export async function hasNotedSerial(sql: Sql, client: number, now: Date): Promise<boolean> {
  const [row] = await sql<{ noted: boolean }[]>`
    select exists (
      select from device_history
      where client = ${client} and event = 'serial number' and at > ${before(now, HOUR_MS)} and id > coalesce(
        (select max(id) from device_history where client = ${client} and event = 'taken over'), 0)
    ) as noted`
  return row?.noted ?? false
}

export type Note = { client: number; now: Date; event: string; detail: string; place: Place }

export function insertingNotes(sql: Sql, notes: readonly Note[]): Fragment {
  return sql`
    insert into device_history (client, at, event, detail, address)
    select * from unnest(${notes.map(({ client }) => client)}::bigint[],
      ${notes.map(({ now }) => now.toISOString())}::timestamptz[], ${notes.map(({ event }) => event)}::text[],
      ${notes.map(({ detail }) => detail)}::text[], ${notes.map(({ place }) => place.address)}::text[])`
}
