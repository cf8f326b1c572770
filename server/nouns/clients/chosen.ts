import type { calls } from '../../../contract/calls.ts'
import { expiryState } from '../../../contract/clients.ts'
import { type Handlers, Unchanged } from '../../context.ts'
import { notFound } from '../../refusal.ts'
import { clientsOf, clientsThere, refuseExpired } from '../../tree/client.ts'

export const chosen: Pick<Handlers<typeof calls.clients>, 'multiquote' | 'multisave'> = {
  async multiquote(context, { clients: names }) {
    const { sql, now } = context
    const clients = await clientsThere(context, names)
    const rest = await sql<{ id: number; status: boolean; package_selection: number }[]>`
      select id, active as status, package_selection from client where id = any (${clients.map(({ id }) => id)})`
    const restOf = new Map(rest.map(({ id, ...fields }) => [id, fields]))
    return {
      status: 'OK',
      data: clients.map(({ id, name, expiry }) => {
        const fields = restOf.get(id)
        if (!fields) throw notFound()
        return { name, expiry, expired: expiryState(expiry, now) === 'expired', ...fields }
      }),
    }
  },

  async multisave(context, { clients: names, status = null, package_selection: chosen = null }) {
    const { sql, now } = context
    const clients = await clientsOf(context, names, 'lock')
    refuseExpired(clients, now, ({ name }) => `${name} has expired. Renew it to change it.`)
    const changed = await sql`
      update client set active = coalesce(${status}, active),
        package_selection = coalesce(${chosen}, package_selection)
      where id = any (${clients.map(({ id }) => id)}) and (active <> ${status} or package_selection <> ${chosen})`
    const output = { status: 'OK' as const, count: clients.length }
    return changed.count > 0 ? output : new Unchanged(output)
  },
}
