import type { calls } from '../../contract/calls.ts'
import type { Handlers } from '../context.ts'
import { notFound, refuseField } from '../refusal.ts'
import { deleteClient } from '../tree/deletion.ts'

/** The admin's reach into every dealer's clients: by MAC, and away. */
export const macs: Pick<Handlers<typeof calls.admin>, 'searchMac' | 'remove'> = {
  async searchMac({ sql }, { mac }) {
    const [client] = await sql<{ name: string; mac: string; expiry: string; dealer: string }[]>`
      select c.name, c.mac, s.expiry, d.name as dealer
      from client c join service s on s.client = c.id join account d on d.id = c.dealer
      where c.mac = ${mac} and c.deleted is null`
    if (!client) throw notFound()
    return client
  },

  async remove(context, { name, mac }) {
    const [client] = await context.sql<
      { id: number; dealer: number; name: string; mac: string | null; description: string; expiry: string }[]
    >`
      select c.id, c.dealer, c.name, c.mac, c.description, s.expiry
      from client c join service s on s.client = c.id
      where lower(c.name) = lower(${name}) and c.deleted is null for update`
    if (!client) throw notFound()
    if (mac !== undefined && mac !== client.mac) {
      throw refuseField(
        'changed_since',
        'mac',
        `The MAC address of ${client.name} is ${client.mac ?? 'none'} now.`,
      )
    }
    await deleteClient(context, client)
    return { status: 'OK' }
  },
}
