import type { calls, InputOf } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { Context, Handler } from '../context.ts'
import { pathOf } from '../ledger/path.ts'
import { refuseChanged } from '../ledger/purchases.ts'
import { factsOf, lockPlace, note } from '../ledger/transfer.ts'
import { fieldRefusal, Refusal } from '../refusal.ts'
import { findAccount } from '../tree/account.ts'
import { type Client, clientOf, clientsOf } from '../tree/client.ts'

export const removeClient: Handler<typeof calls.clients.remove> = async (context, { name, ...seen }) => {
  const client = await clientOf(context, name, 'lock')
  refuseOther(client, seen)
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
export const removeAnyClient: Handler<typeof calls.admin.remove> = async (context, { name, ...seen }) => {
  const client = await clientOf(context, name, 'lock')
  refuseOther(client, seen)
  await remove(context, [client])
  return { status: 'OK' }
}

function refuseOther(
  client: Client,
  { mac, expiry }: Omit<InputOf<typeof calls.clients.remove>, 'name'>,
): void {
  if (mac !== undefined && mac !== client.mac) {
    const present = `The MAC address of ${client.name} is ${client.mac ?? 'none'} now.`
    throw fieldRefusal('changed_since', 'mac', present)
  }
  if (expiry !== undefined) refuseChanged([client], [expiry])
}

/**
 * Marks clients of one dealer as deleted, which frees their logins and MACs and ends their service; their passwords are
 * erased, and their history stays. The database erases phone numbers and descriptions with what it keeps of boxes. The
 * rows of the ledger belong to the dealer, whoever removed the clients.
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
