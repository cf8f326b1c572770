import type { Context } from '../context.ts'
import type { Sql } from '../postgres/pool.ts'
import { refuseField } from '../refusal.ts'
import { type Day, dayOf, endOf, startOf } from './calendar.ts'
import { counted } from './months.ts'
import { transfer } from './transfer.ts'

/** A client as a row of the ledger keeps it. */
export type Concerned = { id: number; name: string; mac: string | null; description: string }

/** Months that a client is to get, and from when. */
export type Purchase = Concerned & { expiryBefore: string; expiry: string; countedFrom: Day }

/** Pays for months of service, the same number for each client. Answers the dealer's balance afterwards. */
export async function pay(context: Context, purchases: readonly Purchase[], months: number): Promise<number> {
  const balance = await transfer(context.sql, {
    type: 'USED',
    source: context.account.balance_holding,
    destination: consumedOf(context),
    rows: purchases.map(({ expiryBefore, countedFrom, ...client }) => ({
      ...facts(context, client, client.expiry),
      credits: months,
      expiryBefore,
      countedFrom,
    })),
  })
  return balance.source
}

/** Takes paid months back. Answers the dealer's balance afterwards. */
export async function takeBack(
  context: Context,
  client: Concerned,
  credits: number,
  expiry: string,
): Promise<number> {
  const balance = await transfer(context.sql, {
    type: 'RETRIEVED',
    source: consumedOf(context),
    destination: context.account.balance_holding,
    rows: [{ ...facts(context, client, expiry), credits }],
  })
  return balance.destination
}

/** What a row of the ledger keeps of a dealer's client. */
export function facts(context: Context, client: Concerned, expiry: string) {
  return {
    created: context.now,
    path: {
      superreseller: context.account.superreseller as number,
      reseller: context.account.reseller,
      dealer: context.account.id,
    },
    actor: context.account.id,
    client: client.id,
    login: client.name,
    mac: client.mac,
    description: client.description,
    expiry,
  }
}

/**
 * Where the expiry would be after taking back 1, 2, 3 … credits, newest purchase first, as far as it can be done:
 * a purchase taken back whole returns the expiry to what it was before it, one taken back in part becomes the
 * smaller purchase, and the expiry never falls before the end of today.
 */
export async function retrievals(sql: Sql, client: number, now: Date, zone: string): Promise<string[]> {
  const rest = endOf(dayOf(now, zone), zone)
  const expiries: string[] = []
  for (const { credits, counted_from, expiry_before } of (await outstanding(sql, client)).reverse()) {
    for (let left = credits - 1; left >= 0; left -= 1) {
      const expiry = left === 0 ? expiry_before : counted(counted_from, left, zone).expiry
      if (expiry < rest) return expiries
      expiries.push(expiry)
    }
  }
  return expiries
}

/** Refuses a trial that the dealer's day or the MAC's month has no room for. Call it with the client's row written. */
export async function permitTrial(context: Context, mac: string | null): Promise<void> {
  const { sql, account, now, business } = context
  // The dealer's trials of the day are counted one at a time.
  await sql`select from lock_holdings(${[account.balance_holding]}::bigint[])`
  const [given] = await sql<{ today: number; to_mac: boolean }[]>`
    select
      (select count(*) from transfer where dealer = ${account.id} and type = 'TRIAL'
        and created >= ${startOf(dayOf(now, business.zone), business.zone)}) as today,
      exists (select from transfer where type = 'TRIAL' and mac = ${mac}
        and created > ${new Date(now.getTime() - 30 * 86_400_000)}) as to_mac`
  if (given?.to_mac) {
    throw refuseField('mac_had_trial', 'stb_mac', 'This MAC address had a trial within the last 30 days.')
  }
  if ((given?.today ?? 0) >= business.trialsPerDay) {
    throw refuseField(
      'trials_used_up',
      'months',
      `You have given ${given?.today} trials today; ${business.trialsPerDay} a day are possible.`,
    )
  }
}

type Outstanding = { credits: number; counted_from: Day; expiry_before: string }

/** The purchases of a client that were not taken back, oldest first, each by what is left of it. */
async function outstanding(sql: Sql, client: number): Promise<Outstanding[]> {
  const rows = await sql<(Outstanding & { type: 'USED' | 'RETRIEVED' })[]>`
    select type, credits, counted_from, expiry_before from transfer
    where client = ${client} and type in ('USED', 'RETRIEVED') order by id`
  const purchases: Outstanding[] = []
  for (const { type, ...row } of rows) {
    if (type === 'USED') purchases.push(row)
    else takeFrom(purchases, row.credits)
  }
  return purchases
}

function takeFrom(purchases: Outstanding[], credits: number): void {
  let left = credits
  while (left > 0) {
    const newest = purchases.at(-1)
    if (!newest) throw new Error('more was taken back than was ever used')
    const taken = Math.min(left, newest.credits)
    left -= taken
    newest.credits -= taken
    if (newest.credits === 0) purchases.pop()
  }
}

function consumedOf({ account }: Context): number {
  if (account.consumed_holding === null) throw new Error('only a dealer spends credits')
  return account.consumed_holding
}
