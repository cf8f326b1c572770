import type { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { SentEvent } from '../../contract/shapes.ts'
import { DAY_MS } from '../../contract/time.ts'
import type { Handlers } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { clientOf, clientsOf } from '../tree/client.ts'
import { nameFor } from '../tree/names.ts'

/** The handlers for what dealers tell the boxes of their clients. The gateway tells it at the box's next poll. */
export const boxEvents: Pick<Handlers<typeof calls.clients>, 'tell' | 'told'> = {
  async tell(context, { clients: names, event, message }) {
    const { sql, account, now } = context
    const clients = await clientsOf(context, names, 'lock')
    const expired = clients.find(({ expiry }) => expiryState(expiry, now) === 'expired')
    if (expired)
      throw new Refusal('client_expired', `${expired.name} has expired. Renew it to reach its box.`)
    await sql`
      insert into box_event (client, event, message, created, expiry, actor)
      select id, ${EVENTS[event]}, ${message}, ${now}, ${new Date(now.getTime() + KEPT[event])}, ${account.id}
      from unnest(${clients.map(({ id }) => id)}::bigint[]) id`
    return { status: 'OK', count: clients.length }
  },

  async told(context, { name }) {
    const { sql, account, now } = context
    const { id } = await clientOf(context, name)
    return await sql<SentEvent[]>`
      select e.id, e.created, case e.event when 'send_msg' then 'message' when 'reboot' then 'reboot' else 'reload' end
          as event, e.message,
        case when e.confirmed is not null then 'shown' when e.told is not null then 'sent'
          when e.expiry <= ${now} then 'too late' else 'waiting' end as state,
        coalesce(e.confirmed, e.told) as told, ${nameFor(sql, account, sql`a`)} as actor
      from box_event e join account a on a.id = e.actor
      where e.client = ${id} order by e.id desc limit ${NEWEST}`
  },
}

const NEWEST = 1_000

const EVENTS = { message: 'send_msg', reboot: 'reboot', reload: 'reload_portal' } as const

/** How long each waits for the box to poll, in milliseconds: who reboots a box wants it now or not at all. */
const KEPT = { message: 7 * DAY_MS, reboot: 240_000, reload: 240_000 } as const
