import { ONLINE_FOR_MS } from '../../contract/clients.ts'
import { before, DAY_MS, soonAfter } from '../../contract/time.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { endedNonce, isEndedNonce, madeAt } from './box-nonce.ts'

/** Ends all tokens of a client, whose box keeps its MAC. */
export async function endTokens(sql: Sql, client: number, now: Date): Promise<void> {
  await sql`update device set token_nonce = ${endedNonce(now)} where client = ${client}`
}

/**
 * Takes the box with this MAC from the client that it is signed in to, unless that is `own`: its tokens end, and the
 * history of the client says that it has left for another one.
 */
export async function takeBox(sql: Sql, mac: string, own: number | null, now: Date): Promise<void> {
  const others = sql`mac = ${mac} and client is distinct from ${own}::bigint`
  await sql`
    insert into device_history (client, at, event, mac_before)
    select client, ${now}::timestamptz, 'taken over', mac from device where ${others}`
  await sql`update device set mac = null, token_nonce = ${endedNonce(now)} where ${others}`
}

/**
 * Whether a Ministra client is served on the box with this MAC, and that box was seen within a day: nobody else's may
 * get the MAC then. `whose` says which clients `c` and boxes `d` count.
 */
export async function isServedOn(sql: Sql, mac: string, now: Date, whose: Fragment): Promise<boolean> {
  const dayAgo = before(now, DAY_MS)
  // A crash of the database empties what is known of when boxes asked. Until a day has passed since, a box of which
  // nothing is known may have asked.
  const [served] = await sql<{ token_nonce: string | null; isSeen: boolean }[]>`
    select d.token_nonce, (p.polled > ${dayAgo} and p.polled <= ${soonAfter(now)}
        or p.client is null and not exists (select from presence where answered <= ${dayAgo})) is true as "isSeen"
    from device d join client c on c.id = d.client join service s on s.client = c.id
      left join presence p on p.client = c.id
    where d.mac = ${mac} and ${whose} and c.active and s.expiry > ${now}
      and not exists (select from dealer_out_of_service o where o.dealer = c.dealer)`
  // A new password has put the box out.
  if (!served || isEndedNonce(served.token_nonce)) return false
  return served.isSeen || isNew(served.token_nonce, now)
}

/** Whether a box has signed in just now: its first poll may not be stored yet, but its token says when it was made. */
function isNew(nonce: string | null, now: Date): boolean {
  const made = nonce === null ? null : madeAt(nonce, now)
  return made !== null && made > now.getTime() - ONLINE_FOR_MS
}
