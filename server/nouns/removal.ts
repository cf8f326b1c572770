import type { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { Context, Handler } from '../context.ts'
import { pathOf } from '../ledger/path.ts'
import { factsOf, lockPlace, note } from '../ledger/transfer.ts'
import { Refusal, refuseField } from '../refusal.ts'
import { findAccount } from '../tree/account.ts'
import { type Client, clientOf, clientsOf } from '../tree/client.ts'

export const removeClient: Handler<typeof calls.clients.remove> = async (context, { name, mac }) => {
  const client = await clientOf(context, name, 'lock')
  refuseOther(client, mac)
  if (expiryState(client.expiry, context.now) !== 'expired') {
    throw new Refusal('client_not_expired', 'Only an expired client can be deleted.')
  }
  await remove(context, [client])
  return { status: 'OK' }
}

/** All or none. Their expiry is judged under the lock that a renewal takes. */
export const removeClients: Handler<typeof calls.clients.multiremove> = async (
  context,
  { clients: names },
) => {
  const clients = await clientsOf(context, names, 'lock')
  const living = clients.find(({ expiry }) => expiryState(expiry, context.now) !== 'expired')
  if (living) {
    throw new Refusal(
      'client_not_expired',
      `${living.name} has not expired. Only expired clients can be deleted.`,
    )
  }
  await remove(context, clients)
  return { status: 'OK', count: clients.length }
}

/** Removes a client of any dealer, expired or not, for the admin; its months are lost. */
export const removeAnyClient: Handler<typeof calls.admin.remove> = async (context, { name, mac }) => {
  const client = await clientOf(context, name, 'lock')
  refuseOther(client, mac)
  await remove(context, [client])
  return { status: 'OK' }
}

function refuseOther({ name, mac }: Client, seen: string | null | undefined): void {
  if (seen === undefined || seen === mac) return
  throw refuseField('changed_since', 'mac', `The MAC address of ${name} is ${mac ?? 'none'} now.`)
}

/**
 * Marks clients of one dealer as deleted, which frees their logins and MACs and ends their service; their passwords are
 * erased, and their history stays. The rows of the ledger belong to the dealer, whoever removed the clients.
 */
async function remove({ sql, now, account }: Context, clients: readonly Client[]): Promise<void> {
  const [first] = clients
  const dealer = first && (await findAccount(sql, sql`a.id = ${first.dealer}`))
  if (!dealer) throw new Error(`client ${first?.id} has no dealer`)
  const place = await lockPlace(sql, dealer)
  await sql`update client set deleted = ${now}, password = null where id = any (${clients.map(({ id }) => id)})`
  const rows = clients.map((client) => factsOf(account, client))
  await note(sql, 'DELETE', pathOf(place), rows)
}
