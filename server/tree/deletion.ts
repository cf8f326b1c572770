import type { Context } from '../context.ts'
import { note } from '../ledger/transfer.ts'

/**
 * Deletes a client whose row is locked: login and MAC are free again, the password is gone, and its history stays.
 * The row of the ledger belongs to the client's dealer, whoever acted.
 */
export async function deleteClient(
  { sql, now, account }: Context,
  client: {
    id: number
    dealer: number
    name: string
    mac: string | null
    description: string
    expiry: string
  },
): Promise<void> {
  await sql`update client set deleted = ${now}, password = null where id = ${client.id}`
  await sql`delete from service where client = ${client.id}`
  await sql`delete from device where client = ${client.id}`
  const [dealer] = await sql<{ superreseller: number; reseller: number }[]>`
    select superreseller, reseller from account where id = ${client.dealer}`
  if (!dealer) throw new Error(`client ${client.id} has no dealer`)
  await note(sql, 'DELETE', {
    created: now,
    path: { ...dealer, dealer: client.dealer },
    actor: account.id,
    client: client.id,
    login: client.name,
    mac: client.mac,
    description: client.description,
    expiry: client.expiry,
  })
}
