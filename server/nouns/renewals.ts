import type { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import { inCredits } from '../../contract/words.ts'
import type { Handlers } from '../context.ts'
import { renewed } from '../ledger/months.ts'
import { giveBack, renew, type Served } from '../ledger/purchases.ts'
import { RETRIEVED, retrievals } from '../ledger/retrievals.ts'
import { giveTrial, shareTrial } from '../ledger/trials.ts'
import { Refusal, refuseField } from '../refusal.ts'
import { balanceOf } from '../tree/account.ts'
import { clientOf, clientsOf } from '../tree/client.ts'

/** The handlers that add months to clients and take them back. */
export const renewals: Pick<Handlers<typeof calls.clients>, 'quote' | 'renew' | 'multirenew' | 'retrieve'> = {
  async quote(context, { clients: names, months }) {
    const { sql, account, now, business } = context
    const clients = await clientsOf(context, names)
    const credits = await balanceOf(sql, account)
    const bought = clients.map((_, at) => (typeof months === 'number' ? months : (months[at] as number)))
    const cost = bought.reduce((sum, each) => sum + each, 0)
    return {
      status: 'OK',
      cost,
      credits,
      balance_after: credits - cost,
      expiries: clients.map(({ name, expiry }, at) => ({
        name,
        expiry,
        new_expiry: renewed(expiry, bought[at] as number, now, business.zone).expiry,
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
    const { sql, now } = context
    const client = await clientOf(context, login, 'lock')
    if (expiryState(client.expiry, now) === 'expired') {
      throw new Refusal('client_expired', 'This client has expired: there is nothing left to retrieve.')
    }
    const { offered, refusal } = await retrievals(context, client)
    const retrieval = offered[credits - 1]
    if (!retrieval) {
      const isNext = credits === offered.length + 1
      throw (isNext && refusal) || notRetrievable(client.name, offered.length)
    }
    const { expiry, leaves } = retrieval
    const balance = await giveBack(context, client, credits, expiry)
    await sql`update service set expiry = ${expiry} where client = ${client.id}`
    if (leaves === 'a new trial') await giveTrial(context, client, expiry, RETRIEVED)
    if (leaves === 'an earlier trial') await shareTrial(context, client, RETRIEVED)
    return { status: 'OK', name: client.name, expiry, credits: balance }
  },
}

function notRetrievable(name: string, possible: number): Refusal {
  return refuseField('not_retrievable', 'credits', `${inCredits(possible)} can be retrieved from ${name}.`)
}
