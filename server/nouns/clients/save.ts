import type { calls, InputOf } from '../../../contract/calls.ts'
import { expiryState, Mac } from '../../../contract/clients.ts'
import { endTokens } from '../../access/device-tokens.ts'
import { ofClient } from '../../access/seal.ts'
import { type Context, type Handler, Unchanged } from '../../context.ts'
import { refuseChanged, renew, type Served } from '../../ledger/purchases.ts'
import { lockPlace } from '../../ledger/transfer.ts'
import { livesOnTrial, shareTrial } from '../../ledger/trials.ts'
import { fieldRefusal } from '../../refusal.ts'
import { balanceOf } from '../../tree/account.ts'
import { type Client, clientOf } from '../../tree/client.ts'
import { noteNewMac, takeMac } from './device.ts'
import { refuseTaken, TYPED } from './form.ts'

export const saveClient: Handler<typeof calls.clients.save> = async (context, input) => {
  const { sql, account, now } = context
  const client = await clientOf(context, input.login, 'lock')
  const { name, expiry } = client
  if (input.expiry !== undefined) refuseChanged([client], [input.expiry])
  const months = input.months ?? 0
  const expired = expiryState(expiry, now) === 'expired'
  if (expired && months === 0) throw fieldRefusal('client_expired', 'months', EXPIRED)
  // An expired client can only be renewed: all else stays as it was, whatever was sent.
  const changed = expired ? null : await change(context, client, input)
  if (months === 0) {
    const output = { status: 'OK' as const, name, expiry, credits: await balanceOf(sql, account) }
    if (!changed) return new Unchanged(output)
    const hasNewMac = changed.mac !== null && changed.mac !== client.mac
    if (hasNewMac && (await livesOnTrial(context, changed))) await shareTrial(context, changed, TYPED)
    return output
  }
  const { credits, clients } = await renew(context, [changed ?? client], months)
  return { status: 'OK', name, expiry: (clients[0] as Served).expiry, credits }
}

const EXPIRED = 'This client has expired. Add months to renew it.'

/** Returns the changed client; null if no sent field differs. A new MAC or a switch to Ministra forgets the device. */
async function change(
  context: Context,
  client: Client,
  input: InputOf<typeof calls.clients.save>,
): Promise<Client | null> {
  const { sql, now } = context
  const { seal } = context.business
  if (input.o_mac !== undefined) refuseOtherMac(client, input.o_mac)
  const ministra = input.ministra ?? client.ministra
  const mac = ministra ? null : macAfter(client, input)
  if (mac !== client.mac) {
    await refuseTaken(context, { mac }, client.id)
    if (mac !== null) await takeMac(context, mac, client.id)
  }
  const [stored = {}] = await sql`
    select ministra, mac, password, description, phone, alt_player, active, package_selection, locked
    from client where id = ${client.id}`
  const owner = ofClient(client.id)
  const { password } = input
  // Opened, because two seals of one password differ.
  const isNewPassword = password !== undefined && password !== seal.open(stored.password, owner)
  const sent = {
    ministra,
    mac,
    password: isNewPassword ? seal.close(password, owner) : undefined,
    description: input.desc,
    phone: input.phone,
    alt_player: input.alt_player,
    active: input.status,
    package_selection: input.package_selection,
    locked: input.locked,
  }
  const changes = Object.entries(sent).filter(
    ([column, value]) => value !== undefined && value !== stored[column],
  )
  if (changes.length === 0) return null
  await sql`update client set ${sql(Object.fromEntries(changes))} where id = ${client.id}`
  if (input.locked !== undefined && input.locked !== stored.locked) await forgetLock(context, client.id)
  if (mac !== client.mac) {
    // Before its history refers to the account: a move locks the balance first too.
    await lockPlace(sql, context.account)
    await noteNewMac(context, client, mac)
  }
  // The box that is in has to sign in again, with the new password where it needs one.
  else if (isNewPassword) await endTokens(sql, client.id, now)
  return { ...client, ministra, mac, description: input.desc ?? client.description }
}

/** A lock that is set again is for the address at which the box is then, and what the one before refused is over. */
async function forgetLock({ sql }: Pick<Context, 'sql'>, client: number): Promise<void> {
  await sql`update device set locked_to_ip = null where client = ${client}`
  await sql`update presence set refusal = null where client = ${client} and refusal = 'other_address'`
}

/** Returns the MAC of a client without Ministra after the change. A new one needs the old one that the editor saw. */
function macAfter(client: Client, { stb_mac, o_mac }: InputOf<typeof calls.clients.save>): string {
  if (stb_mac === undefined && client.mac !== null) return client.mac
  const mac = Mac.safeParse(stb_mac ?? '')
  if (!mac.success) throw fieldRefusal('invalid_input', 'stb_mac', `${mac.error.issues[0]?.message}.`)
  if (o_mac === undefined) {
    throw fieldRefusal(
      'invalid_input',
      'o_mac',
      'A MAC address is changed together with the one that was there (o_mac).',
    )
  }
  return mac.data
}

/** Refuses a change by somebody who saw another MAC than the client has. */
function refuseOtherMac(client: Client, seen: string | null): void {
  if ((seen || null)?.toUpperCase() === client.mac?.toUpperCase()) return
  throw fieldRefusal(
    'changed_since',
    'stb_mac',
    `The MAC address was changed in the meantime, to ${client.mac ?? 'none'}. Please look again.`,
  )
}
