import type { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { Context, Handler } from '../context.ts'
import { note, pathOf } from '../ledger/transfer.ts'
import { Refusal, refuseField } from '../refusal.ts'
import { findAccount } from '../tree/account.ts'
import { type Client, clientOf } from '../tree/client.ts'

/** A dealer removes only the expired of its own clients. */
export const removeClient: Handler<typeof calls.clients.remove> = async (context, { name, mac }) => {
  const client = await clientOf(context, name, 'lock')
  refuseOther(client, mac)
  if (expiryState(client.expiry, context.now) !== 'expired') {
    throw new Refusal('client_not_expired', 'Only an expired client can be deleted.')
  }
  await remove(context, client)
  return { status: 'OK' }
}

/** The admin removes anybody's client, expired or not; its months are lost. */
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
 * Login and MAC are free again, the password is gone, the service ended, and the history stays. The row of the ledger belongs to the
 * client's dealer, whoever acted.
 */
async function remove({ sql, now, account }: Context, client: Client): Promise<void> {
  await sql`update client set deleted = ${now}, password = null where id = ${client.id}`
  const dealer = await findAccount(sql, sql`a.id = ${client.dealer}`)
  if (!dealer) throw new Error(`client ${client.id} has no dealer`)
  await note(sql, 'DELETE', {
    path: pathOf(dealer),
    actor: account.id,
    client: client.id,
    login: client.name,
    mac: client.mac,
    description: client.description,
    expiry: client.expiry,
  })
}
