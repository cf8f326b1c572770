import type { Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'
import type { Day } from './calendar.ts'
import { renewed, type ServicePeriod, started } from './months.ts'
import type { Placed } from './path.ts'
import {
  type Concerned,
  factsOf,
  type LockedHolding,
  type Movement,
  transfer,
  transferFree,
} from './transfer.ts'

/** The context in which a dealer spends credits or gives a trial: the account, the moment and the calendar. */
export type Dealing = {
  sql: Sql
  now: Date
  account: Placed & { balance_holding: number; consumed_holding: number | null }
  business: { zone: string; trialsPerDay: number }
}

/** A client whose row is locked, with its expiry. */
export type Served = Concerned & { expiry: string }

/**
 * Adds paid months to each client, whose rows are locked: the same number, or that of each in the order of the clients.
 * The rows of the ledger say until when each is served, and the database follows them. Returns the balance that is
 * left, and the clients with their new expiry.
 * @param seen the expiry of each client that the person saw; the renewal is refused where one of them has changed
 */
export async function renew(
  dealing: Dealing,
  clients: readonly Served[],
  months: number | readonly number[],
  seen?: readonly string[],
): Promise<{ credits: number; clients: Served[] }> {
  refuseTwice(clients)
  if (seen) refuseChanged(clients, seen)
  const purchases = clients.map((client, at) =>
    purchaseOf(dealing, client, typeof months === 'number' ? months : (months[at] as number)),
  )
  const { source: credits } = await transfer(dealing.sql, payment(dealing, purchases))
  return { credits, clients: purchases }
}

/** The renewal of one client, whose row is locked; `seen` is the expiry that the person saw. */
type Renewal = { dealing: Dealing; client: Served; months: number; seen: string | undefined }

/**
 * Makes renewals of several dealers, each of another client, as `renew` makes one. Left out are renewals that it would
 * refuse, and those of a dealer whose holdings (see `lockFreeHoldings`) are not all in `free`. Returns the balance that
 * is left and the new expiry; undefined where it was left out.
 */
export async function renewFree(
  sql: Sql,
  renewals: readonly (Renewal | undefined)[],
  free: ReadonlyMap<number, LockedHolding>,
): Promise<({ credits: number; expiry: string } | undefined)[]> {
  const bought = renewals.map((renewal) => {
    if (!renewal || (renewal.seen !== undefined && renewal.seen !== renewal.client.expiry)) return undefined
    const { dealing, client, months } = renewal
    return { dealing, purchase: purchaseOf(dealing, client, months) }
  })
  const balances = await transferFree(
    sql,
    bought.map((one) => one && payment(one.dealing, [one.purchase])),
    free,
  )
  return bought.map((one, at) => {
    const balance = balances[at]
    return one && balance && { credits: balance.source, expiry: one.purchase.expiry }
  })
}

/** Pays for the months with which a new client starts. Returns the dealer's balance afterwards. */
export async function payStart(
  dealing: Dealing,
  client: Concerned,
  service: ServicePeriod,
  months: number,
): Promise<number> {
  const { sql, now, business } = dealing
  const expiryBefore = started(0, now, business.zone).expiry
  const { source } = await transfer(sql, payment(dealing, [{ ...client, ...service, months, expiryBefore }]))
  return source
}

export function refuseChanged(
  clients: readonly { name: string; expiry: string }[],
  seen: readonly string[],
): void {
  clients.forEach(({ name, expiry }, index) => {
    if (seen[index] !== expiry) {
      throw new Refusal(
        'changed_since',
        `The expiry of ${name} has changed in the meantime. Please look again.`,
      )
    }
  })
}

/** Moves the credits of retrieved months back to the dealer. Returns the dealer's balance afterwards. */
export async function giveBack(
  dealing: Dealing,
  client: Concerned,
  credits: number,
  expiry: string,
): Promise<number> {
  const balance = await transfer(dealing.sql, {
    type: 'RETRIEVED',
    source: consumedOf(dealing.account),
    destination: dealing.account.balance_holding,
    rows: [{ ...factsOf(dealing.account, { ...client, expiry }), credits }],
  })
  return balance.destination
}

type Purchase = Served & { expiryBefore: string; countedFrom: Day; months: number }

function purchaseOf({ now, business }: Dealing, client: Served, months: number): Purchase {
  return {
    ...client,
    ...renewed(client.expiry, months, now, business.zone),
    expiryBefore: client.expiry,
    months,
  }
}

function payment(dealing: Dealing, purchases: readonly Purchase[]): Movement {
  return {
    type: 'USED',
    source: dealing.account.balance_holding,
    destination: consumedOf(dealing.account),
    rows: purchases.map(({ expiryBefore, countedFrom, months, ...client }) => ({
      ...factsOf(dealing.account, client),
      credits: months,
      expiryBefore,
      countedFrom,
    })),
  }
}

/** Both purchases would be counted from the same expiry: the second would be paid for and add nothing. */
function refuseTwice(clients: readonly { id: number }[]): void {
  if (new Set(clients.map(({ id }) => id)).size < clients.length) {
    throw new Refusal('invalid_input', 'A client is named twice.')
  }
}

/** Returns the holding of what a dealer has consumed. */
export function consumedOf({ consumed_holding }: Pick<Dealing['account'], 'consumed_holding'>): number {
  if (consumed_holding === null) throw new Error('only a dealer spends credits')
  return consumed_holding
}
