import type { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { Context, Handler } from '../context.ts'
import { holdPlace, note, pathOf } from '../ledger/transfer.ts'
import { Refusal, refuseField } from '../refusal.ts'
import { findAccount } from '../tree/account.ts'
import { type Client, clientOf } from '../tree/client.ts'

/** Removes an expired client of the dealer's own. */
export const removeClient: Handler<typeof calls.clients.remove> = async (context, { name, mac }) => {
  const client = await clientOf(context, name, 'lock')
  refuseOther(client, mac)
  if (expiryState(client.expiry, context.now) !== 'expired') {
    throw new Refusal('client_not_expired', 'Only an expired client can be deleted.')
  }
  await remove(context, client)
  return { status: 'OK' }
}

/** Removes a client of any dealer, expired or not, for the admin; its months are lost. */
export const removeAnyClient: Handler<typeof calls.admin.remove> = async (context, { name, mac }) => {
  const client = await clientOf(context, name, 'lock')
  refuseOther(client, mac)
  await remove(context, client)
  return { status: 'OK' }
}

/** Refuses a client whose MAC is not the one that the person saw. */
function refuseOther({ name, mac }: Client, seen: string | null | undefined): void {
  if (seen === undefined || seen === mac) return
  throw refuseField('changed_since', 'mac', `The MAC address of ${name} is ${mac ?? 'none'} now.`)
}

/**
 * Marks a client as deleted, which frees its login and MAC and ends its service; its password is erased, and its
 * history stays. The row of the ledger belongs to the client's dealer, whoever removed the client.
 */
async function remove({ sql, now, account }: Context, client: Client): Promise<void> {
  const dealer = await findAccount(sql, sql`a.id = ${client.dealer}`)
  if (!dealer) throw new Error(`client ${client.id} has no dealer`)
  const place = await holdPlace(sql, dealer)
  await sql`update client set deleted = ${now}, password = null where id = ${client.id}`
  await note(sql, 'DELETE', {
    path: pathOf(place),
    actor: account.id,
    client: client.id,
    login: client.name,
    mac: client.mac,
    description: client.description,
    expiry: client.expiry,
  })
}
