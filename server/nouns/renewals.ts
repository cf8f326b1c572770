import type { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { Context, Handlers } from '../context.ts'
import { dayOf, endOf, startOf } from '../ledger/calendar.ts'
import { renewing } from '../ledger/months.ts'
import { facts, giveBack, renew, type Served } from '../ledger/purchases.ts'
import { retrievals } from '../ledger/retrievals.ts'
import { note } from '../ledger/transfer.ts'
import { permitTrial } from '../ledger/trials.ts'
import { credits as inWords, Refusal, refuseField } from '../refusal.ts'
import { balanceOf } from '../tree/account.ts'
import { clientOf, clientsOf } from '../tree/client.ts'

/** Months added to clients and taken back from them. */
export const renewals: Pick<Handlers<typeof calls.clients>, 'quote' | 'renew' | 'multirenew' | 'retrieve'> = {
  async quote(context, { clients: names, months }) {
    const { sql, account, now, business } = context
    const clients = await clientsOf(context, names)
    const credits = await balanceOf(sql, account)
    const cost = months * clients.length
    const serviceAfter = renewing(months, now, business.zone)
    return {
      status: 'OK',
      cost,
      credits,
      balance_after: credits - cost,
      expiries: clients.map(({ name, expiry }) => ({
        name,
        expiry,
        new_expiry: serviceAfter(expiry).expiry,
      })),
    }
  },

  async renew(context, { name, months, expiry: seen }) {
    const client = await clientOf(context, name, 'lock')
    const { credits, clients } = await renew(
      context,
      [client],
      months,
      seen === undefined ? undefined : [seen],
    )
    return { status: 'OK', name: client.name, expiry: (clients[0] as Served).expiry, credits }
  },

  async multirenew(context, { clients: names, months, expiries: seen }) {
    const { credits, clients } = await renew(context, await clientsOf(context, names, 'lock'), months, seen)
    return { status: 'OK', count: clients.length, credits }
  },

  async retrieve(context, { login, credits }) {
    const { sql, now, business } = context
    const client = await clientOf(context, login, 'lock')
    if (expiryState(client.expiry, now) === 'expired') {
      throw new Refusal('client_expired', 'This client has expired: there is nothing left to retrieve.')
    }
    const possible = await retrievals(sql, client.id, now, business.zone)
    const expiry = possible[credits - 1]
    if (expiry === undefined) {
      throw refuseField(
        'not_retrievable',
        'credits',
        `${inWords(possible.length)} can be retrieved from ${client.name}.`,
      )
    }
    await sql`update service set expiry = ${expiry} where client = ${client.id}`
    const balance = await giveBack(context, client, credits, expiry)
    if (expiry === endOf(dayOf(now, business.zone), business.zone)) {
      await countAsTrial(context, client, expiry)
    }
    return { status: 'OK', name: client.name, expiry, credits: balance }
  },
}

/** Left with today only it was a trial of today, or months could be lent for nothing, day after day. */
async function countAsTrial(context: Context, client: Served, expiry: string): Promise<void> {
  const { sql, now, business } = context
  const [already] = await sql`
    select from transfer where client = ${client.id} and type = 'TRIAL'
    and created >= ${startOf(dayOf(now, business.zone), business.zone)}`
  if (already) return
  await permitTrial(context, client.mac)
  await note(sql, 'TRIAL', facts(context, client, expiry))
}
