import type { calls } from '../../../contract/calls.ts'
import { isServedOn, takeBox } from '../../access/device-tokens.ts'
import { type Context, type Handler, Unchanged } from '../../context.ts'
import { lockMac } from '../../postgres/locks.ts'
import { fieldRefusal } from '../../refusal.ts'
import { type Client, clientOf, refuseExpired } from '../../tree/client.ts'

export const resetDevice: Handler<typeof calls.clients.reset> = async (context, { name }) => {
  const client = await clientOf(context, name, 'lock')
  refuseExpired([client], context.now, () => 'This client has expired. Renew it to reset its box.')
  const { id } = client
  if (!(await forgetDevice(context, id))) return new Unchanged({ status: 'OK' })
  await note(context, id, { event: 'reset', detail: '', before: null })
  return { status: 'OK' }
}

/** Notes that a client has another MAC from now on, or none, and who changed that. Its box is forgotten. */
export async function noteNewMac(context: Context, { id, mac: before }: Client, mac: string | null) {
  await forgetDevice(context, id)
  await note(context, id, { event: 'new MAC', detail: mac ?? '', before })
}

/**
 * Takes a MAC from the box of a Ministra client that has signed in with it, because a client is about to get it: a box
 * is one client's. Where another dealer's client is served on it, the MAC is taken. The box of `own` is forgotten
 * anyway.
 */
export async function takeMac(
  { sql, now, account }: Context,
  mac: string,
  own: number | null = null,
): Promise<void> {
  await lockMac(sql, mac)
  if (await isServedOn(sql, mac, now, sql`c.dealer <> ${account.id}`))
    throw fieldRefusal('mac_taken', 'stb_mac', 'This MAC address is taken.')
  // They stay ended once the MAC is free again.
  await takeBox(sql, mac, own, now)
}

/** Returns whether there was anything to forget. */
async function forgetDevice({ sql }: Context, client: number): Promise<boolean> {
  const [row] = await sql<{ forgotten: boolean }[]>`select forget_device(${client}) as forgotten`
  return row?.forgotten ?? false
}

type Note = { event: 'reset' | 'new MAC'; detail: string; before: string | null }

async function note(
  { sql, now, account, address }: Context,
  client: number,
  { event, detail, before }: Note,
) {
  await sql`
    insert into device_history (client, at, event, detail, mac_before, address, actor)
    values (${client}, ${now}, ${event}, ${detail}, ${before}, ${address}, ${account.id})`
}
