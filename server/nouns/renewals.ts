import type { calls } from '../../contract/calls.ts'
import { inCredits } from '../../contract/quantities.ts'
import type { Handlers } from '../context.ts'
import { renewed } from '../ledger/months.ts'
import { giveBack, refuseChanged, renew, renewFree, type Served } from '../ledger/purchases.ts'
import { RETRIEVED, retrievals } from '../ledger/retrievals.ts'
import { lockFreeHoldings } from '../ledger/transfer.ts'
import { giveTrial, shareTrial, withBoxMac } from '../ledger/trials.ts'
import { fieldRefusal, type Refusal } from '../refusal.ts'
import { balanceOf } from '../tree/account.ts'
import { clientOf, clientsOf, clientsThere, freeClients, refuseExpired } from '../tree/client.ts'

/** The handlers that add months to clients and take them back. */
export const renewals: Pick<Handlers<typeof calls.clients>, 'quote' | 'renew' | 'multirenew' | 'retrieve'> = {
  async quote(context, { clients: names, months }) {
    const { sql, account, now, business } = context
    const clients = await clientsThere(context, names)
    const credits = await balanceOf(sql, account)
    const monthsOf = new Map(
      names.map((name, at) => [name.toLowerCase(), typeof months === 'number' ? months : months[at]]),
    )
    const bought = clients.map(({ name }) => monthsOf.get(name.toLowerCase()) as number)
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

  renew: {
    async alone(context, { name, months, expiry: seen }) {
      const client = await clientOf(context, name, 'lock')
      const { credits, clients } = await renew(
        context,
        [client],
        months,
        seen === undefined ? undefined : [seen],
      )
      return { status: 'OK', name: client.name, expiry: (clients[0] as Served).expiry, credits }
    },

    async together(sql, asked, admitted) {
      const accounts = asked.map(({ account }) => account)
      // All of it is sent at once: nothing here has to wait for another transaction.
      const [free, holdings, contexts] = await Promise.all([
        freeClients(
          sql,
          asked.map(({ account, input }) => ({ dealer: account, name: input.name })),
        ),
        lockFreeHoldings(sql, accounts),
        admitted,
      ])
      const clients = new Map(free.map((client) => [client.name.toLowerCase(), client]))
      const renewals = asked.map(({ account, input }, at) => {
        const dealing = contexts[at]
        const name = input.name.toLowerCase()
        const client = clients.get(name)
        if (!dealing || client?.dealer !== account) return undefined
        // Of two renewals of one client, the second is counted from the expiry of the first, so it comes later.
        clients.delete(name)
        return { dealing, client, months: input.months, seen: input.expiry }
      })
      const made = await renewFree(sql, renewals, holdings)
      return renewals.map((renewal, at) => {
        const renewed = made[at]
        return renewal && renewed && { status: 'OK', name: renewal.client.name, ...renewed }
      })
    },
  },

  async multirenew(context, { clients: names, months, expiries: seen }) {
    const { credits, clients } = await renew(context, await clientsOf(context, names, 'lock'), months, seen)
    return { status: 'OK', count: clients.length, credits }
  },

  async retrieve(context, { login, credits, expiry: seen }) {
    const { sql, now } = context
    const client = await clientOf(context, login, 'lock')
    if (seen !== undefined) refuseChanged([client], [seen])
    refuseExpired([client], now, () => 'This client has expired: there is nothing left to retrieve.')
    const withMac = await withBoxMac(sql, client, 'lock')
    const { offered, refusal } = await retrievals(context, withMac)
    const retrieval = offered[credits - 1]
    if (!retrieval) {
      const isNext = credits === offered.length + 1
      throw (isNext && refusal) || notRetrievable(client.name, offered.length)
    }
    const { expiry, leaves } = retrieval
    const balance = await giveBack(context, client, credits, expiry)
    if (leaves === 'a new trial') await giveTrial(context, withMac, expiry, RETRIEVED)
    if (leaves === 'an earlier trial') await shareTrial(context, withMac, RETRIEVED)
    return { status: 'OK', name: client.name, expiry, credits: balance }
  },
}

function notRetrievable(name: string, possible: number): Refusal {
  const message =
    possible === 0
      ? `Nothing can be retrieved from ${name} any more.`
      : `${inCredits(possible)} can be retrieved from ${name}.`
  return fieldRefusal('not_retrievable', 'credits', message)
}
