import type { calls } from '../../contract/calls.ts'
import type { Handler } from '../context.ts'
import { notFound } from '../refusal.ts'

/** Finds the client of any dealer by its MAC, for the admin. */
export const searchMac: Handler<typeof calls.admin.searchMac> = async ({ sql }, { mac }) => {
  const [client] = await sql<{ name: string; mac: string; expiry: string; dealer: string }[]>`
    select c.name, c.mac, s.expiry, d.name as dealer
    from client c join service s on s.client = c.id join account d on d.id = c.dealer
    where c.mac = ${mac} and c.deleted is null`
  if (!client) throw notFound()
  return client
}
