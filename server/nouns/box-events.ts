import { UNNAMED } from '../../contract/accounts.ts'
import type { calls } from '../../contract/calls.ts'
import { counted } from '../../contract/quantities.ts'
import type { SentEvent } from '../../contract/shapes.ts'
import { before, DAY_MS, HOUR_MS } from '../../contract/time.ts'
import type { Context, Handlers } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { type Client, clientOf, clientsOf, refuseExpired } from '../tree/client.ts'
import { nameFor } from '../tree/names.ts'

/** The handlers for what dealers tell the boxes of their clients. The gateway tells it at the box's next poll. */
export const boxEvents: Pick<Handlers<typeof calls.clients>, 'tell' | 'told'> = {
  async tell(context, { clients: names, event, message }) {
    const { sql, account, now } = context
    const clients = await clientsOf(context, names, 'lock')
    refuseExpired(clients, now, ({ name }) => `${name} has expired. Renew it to reach its box.`)
    const full = await fullBox(context, clients)
    if (full) {
      const sentence = `The box of ${full.name} was sent ${MOST_A_DAY} things in 24 hours, which is the most.`
      throw new Refusal('invalid_input', `${sentence} Try again in ${counted(full.hours, 'hour')}.`)
    }
    await sql`
      insert into box_event (client, event, message, created, expiry, actor)
      select id, ${EVENTS[event]}, ${message}, ${now}, ${new Date(now.getTime() + KEPT_MS[event])}, ${account.id}
      from unnest(${clients.map(({ id }) => id)}::bigint[]) id`
    return { status: 'OK', count: clients.length }
  },

  async told(context, { name }) {
    const { sql, account, now } = context
    const { id } = await clientOf(context, name)
    const sent = await sql<(Omit<SentEvent, 'event'> & { event: StoredEvent })[]>`
      select e.id, e.created, e.event, e.message,
        case when e.confirmed is not null then 'shown' when e.told is not null then 'sent'
          when e.expiry <= ${now} then 'too late' else 'waiting' end as state,
        coalesce(e.confirmed, e.told) as told, ${nameFor(sql, account, sql`a`)} as actor
      from box_event e join account a on a.id = e.actor
      where e.client = ${id} order by e.id desc limit ${NEWEST}`
    // What a dealer wrote of a client that was moved away is not for the one who has it now.
    return sent.map((one) => ({
      ...one,
      event: EVENT_OF[one.event],
      message: one.actor === UNNAMED ? '' : one.message,
    }))
  },
}

const NEWEST = 1_000

/** The most that a dealer sends to one box in 24 hours. Each of them is read with the client until it was told. */
const MOST_A_DAY = 100

/** Returns one of the clients to whose box no more may be sent now, and in how many hours it may. */
async function fullBox(
  { sql, account, now }: Context,
  clients: readonly Client[],
): Promise<{ name: string; hours: number } | null> {
  const [full] = await sql<{ id: number; created: string }[]>`
    select asked.id, last.created from unnest(${clients.map(({ id }) => id)}::bigint[]) asked (id) cross join lateral (
      select e.created from box_event e where e.client = asked.id and e.actor = ${account.id}
      order by e.id desc limit 1 offset ${MOST_A_DAY - 1}
    ) last
    where last.created > ${before(now, DAY_MS)} limit 1`
  const client = clients.find(({ id }) => id === full?.id)
  if (!full || !client) return null
  const again = Date.parse(full.created) + DAY_MS
  return { name: client.name, hours: Math.ceil((again - now.getTime()) / HOUR_MS) }
}

/** What a dealer sends, and the protocol's word for it, which is stored. */
const EVENTS = { message: 'send_msg', reboot: 'reboot', reload: 'reload_portal' } as const

type StoredEvent = (typeof EVENTS)[keyof typeof EVENTS]

const EVENT_OF = Object.fromEntries(Object.entries(EVENTS).map(([name, stored]) => [stored, name])) as Record<
  StoredEvent,
  keyof typeof EVENTS
>

/** How long each waits for the box to poll, in milliseconds: who reboots a box wants it now or not at all. */
const KEPT_MS = { message: 7 * DAY_MS, reboot: 240_000, reload: 240_000 } as const
