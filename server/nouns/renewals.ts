import type { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { Context, Handlers } from '../context.ts'
import { dayOf, endOf, startOf } from '../ledger/calendar.ts'
import { renewing } from '../ledger/months.ts'
import { facts, type Purchase, pay, permitTrial, retrievals, takeBack } from '../ledger/purchases.ts'
import { note } from '../ledger/transfer.ts'
import { sendAhead } from '../postgres/begin.ts'
import { credits as inWords, notFound, Refusal, refuseField } from '../refusal.ts'

type Client = { id: number; name: string; mac: string | null; description: string; expiry: string }

/** Months added to clients and taken back from them. */
export const renewals: Pick<Handlers<typeof calls.clients>, 'quote' | 'renew' | 'multirenew' | 'retrieve'> = {
  async quote(context, { clients: names, months }) {
    const { sql, account, now, business } = context
    const clients = await find(context, names)
    const [own] = await sql<
      { balance: number }[]
    >`select balance from holding where id = ${account.balance_holding}`
    const cost = months * clients.length
    const serviceAfter = renewing(months, now, business.zone)
    const credits = own?.balance ?? 0
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
    const { credits, purchases } = await renew(
      context,
      [name],
      months,
      seen === undefined ? undefined : [seen],
    )
    const [purchase] = purchases as [Purchase]
    return { status: 'OK', name: purchase.name, expiry: purchase.expiry, credits }
  },

  async multirenew(context, { clients: names, months, expiries }) {
    const { credits, purchases } = await renew(context, names, months, expiries)
    return { status: 'OK', count: purchases.length, credits }
  },

  async retrieve(context, { login, credits }) {
    const { sql, now, business } = context
    const [client] = await find(context, [login], 'lock')
    if (!client) throw notFound()
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
    const balance = await takeBack(context, client, credits, expiry)
    if (expiry === endOf(dayOf(now, business.zone), business.zone)) {
      await countAsTrial(context, client, expiry)
    }
    return { status: 'OK', name: client.name, expiry, credits: balance }
  },
}

/** Left with today only it was a trial of today, or months could be lent for nothing, day after day. */
async function countAsTrial(context: Context, client: Client, expiry: string): Promise<void> {
  const { sql, now, business } = context
  const [already] = await sql`
    select from transfer where client = ${client.id} and type = 'TRIAL'
    and created >= ${startOf(dayOf(now, business.zone), business.zone)}`
  if (already) return
  await permitTrial(context, client.mac)
  await note(sql, 'TRIAL', facts(context, client, expiry))
}

async function renew(context: Context, names: readonly string[], months: number, seen?: readonly string[]) {
  const { sql, now, business } = context
  const clients = await find(context, names, 'lock')
  clients.forEach(({ name, expiry }, index) => {
    if (seen && seen[index] !== expiry) {
      throw new Refusal(
        'changed_since',
        `The expiry of ${name} has changed in the meantime. Please look again.`,
      )
    }
  })
  const serviceAfter = renewing(months, now, business.zone)
  const purchases = clients.map((client) => ({
    ...client,
    ...serviceAfter(client.expiry),
    expiryBefore: client.expiry,
  }))
  const serving = sql`
    update service set expiry = bought.expiry
    from unnest(${purchases.map(({ id }) => id)}::bigint[], ${purchases.map(({ expiry }) => expiry)}::timestamptz[])
      as bought (client, expiry)
    where service.client = bought.client`
  await sendAhead(sql, serving)
  return { credits: await pay(context, purchases, months), purchases }
}

/** The caller's clients of these names, in their order; one that is not the caller's fails the whole. */
async function find({ sql, account }: Context, names: readonly string[], lock?: 'lock'): Promise<Client[]> {
  const wanted = names.map((name) => name.toLowerCase())
  // 'is true' leaves only the index of names: those that begin with the dealer are walked for all of a dealer's clients.
  const found = await sql<Client[]>`
    select c.id, c.name, c.mac, c.description, s.expiry from client c join service s on s.client = c.id
    where (c.dealer = ${account.id}) is true and lower(c.name) = any (${wanted}) and c.deleted is null
    order by c.id ${lock ? sql`for update` : sql``}`
  const byName = new Map(found.map((client) => [client.name.toLowerCase(), client]))
  return wanted.map((name) => {
    const client = byName.get(name)
    if (!client) throw notFound()
    return client
  })
}
