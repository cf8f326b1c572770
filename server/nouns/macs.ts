import type { calls, OutputOf } from '../../contract/calls.ts'
import { soonAfter } from '../../contract/time.ts'
import type { Handler } from '../context.ts'
import { notFound } from '../refusal.ts'

export const searchMac: Handler<typeof calls.admin.searchMac> = async ({ sql }, { mac }) => {
  const [client] = await sql<OutputOf<typeof calls.admin.searchMac>[]>`
    select c.name, c.mac, s.expiry, d.name as dealer
    from client c join service s on s.client = c.id join account d on d.id = c.dealer
    where c.mac = ${mac} and c.deleted is null`
  if (!client) throw notFound()
  return client
}

/** Another dealer's client is answered as if no box had asked with its MAC, so that nothing is revealed about it. */
export const macLastSeen: Handler<typeof calls.clients.macLastSeen> = async (
  { sql, account, now },
  { mac },
) => {
  const [known] = await sql<{ is_own: boolean; asked: string | null }[]>`
    select c.dealer = ${account.id} as is_own, p.answered as asked
    from (select id from client where mac = ${mac} and deleted is null
      union all select client from device where mac = ${mac}) found (id)
    join client c on c.id = found.id left join presence p on p.client = c.id
    order by is_own desc limit 1`
  if (known) return { asked: known.is_own ? known.asked : null }
  const [unknown] = await sql<{ asked: string }[]>`
    select asked from unknown_box where mac = ${mac} and asked <= ${soonAfter(now)}`
  return { asked: unknown?.asked ?? null }
}
