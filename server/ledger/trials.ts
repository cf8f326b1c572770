import { expiryState, MAC_HAD_TRIAL } from '../../contract/clients.ts'
import { counted } from '../../contract/quantities.ts'
import { before, DAY_MS } from '../../contract/time.ts'
import type { Sql } from '../postgres/pool.ts'
import { fieldRefusal, Refusal } from '../refusal.ts'
import { dayOf, endOf, startOf } from './calendar.ts'
import { outstanding } from './outstanding.ts'
import { pathOf } from './path.ts'
import type { Dealing, Served } from './purchases.ts'
import { type Concerned, factsOf, lockPlace, note } from './transfer.ts'

/**
 * What decides whether a trial may be given. A dealer gives TRIALS_PER_DAY, each a TRIAL row. A MAC has one in 30 days,
 * whoever gives it. A MAC that comes to a client on a trial has had one too, also that of a box which signs in to a
 * Ministra client: `mac_trial` records that. It is not one of the dealer's trials, but has the same limit a day, since
 * a script could take the trial from any number of MACs.
 */
type TrialFacts = {
  given_today: number
  /** Whether one of them was this client's. */
  client_had_today: boolean
  /** Whether the client's MAC had a trial in the last 30 days, and whether with another client. */
  mac_had: boolean
  mac_had_elsewhere: boolean
  /** Whether the MAC had a trial with this client, however long ago; true also for a client without a MAC. */
  mac_had_here: boolean
  /** Whether the client had a trial that was given without a MAC, and no MAC has come to it on a trial since. */
  is_first: boolean
}

/** The fields of a call at which a refused trial is reported. */
export type TrialFields = { mac: string; trials: string }

/** The dealer of a client, the moment and the calendar. */
type TrialDealing = Pick<Dealing, 'sql' | 'now' | 'business'> & {
  account: Pick<Dealing['account'], 'id' | 'balance_holding'>
}

export async function trialFacts(
  { sql, account, now, business }: TrialDealing,
  client: Pick<Concerned, 'id' | 'mac'>,
): Promise<TrialFacts> {
  const today = startOf(dayOf(now, business.zone), business.zone)
  const lately = before(now, 30 * DAY_MS)
  const [found] = await sql<TrialFacts[]>`
    with had as (
      select client from transfer where type = 'TRIAL' and mac = ${client.mac} and created > ${lately}
      union all
      select client from mac_trial where mac = ${client.mac} and created > ${lately}
    ),
    given as (select mac, created from transfer where client = ${client.id} and type = 'TRIAL')
    select
      (select count(*) from transfer
        where dealer = ${account.id} and type = 'TRIAL' and created >= ${today}) as given_today,
      exists (select from given where created >= ${today}) as client_had_today,
      exists (select from had) as mac_had,
      exists (select from had where client <> ${client.id}) as mac_had_elsewhere,
      ${client.mac}::text is null or exists (
        select from given where mac = ${client.mac}
        union all
        select from mac_trial where client = ${client.id} and mac = ${client.mac}
      ) as mac_had_here,
      exists (select from given where mac is null)
        and not exists (select from mac_trial where client = ${client.id}) as is_first`
  return found as TrialFacts
}

/**
 * Returns how many other MACs have come today to clients on a trial that are the dealer's, or that were moved away only
 * after the MAC had come. Not counted are this MAC of this client, and the first MAC of a client whose trial was given
 * without a MAC.
 */
async function sharedToday(
  { sql, account, now, business }: TrialDealing,
  client: Pick<Concerned, 'id' | 'mac'>,
): Promise<number> {
  const [found] = await sql<{ count: number }[]>`
    select count(distinct (m.client, m.mac)) from mac_trial m
    -- One by one, because a plan for any day would read all clients for them.
    cross join lateral (
      select from client c where c.id = m.client and (c.dealer = ${account.id} or exists (
        select from transfer t where t.client = c.id and t.from_dealer = ${account.id} and t.created >= m.created
      )) offset 0
    ) of_dealer
    where m.created >= ${startOf(dayOf(now, business.zone), business.zone)}
      and (m.client <> ${client.id} or m.mac <> ${client.mac})
      and not exists (select from transfer t where t.client = m.client and t.type = 'TRIAL' and (
        t.mac = m.mac or t.mac is null
          and m.mac = (select mac from mac_trial where client = m.client order by created, mac limit 1)
      ))`
  return found?.count ?? 0
}

/** Returns why a dealer may not give a client a trial until its expiry; null where it may. */
export function whyNotGiven(
  { now, business }: Pick<TrialDealing, 'now' | 'business'>,
  { given_today, mac_had }: TrialFacts,
  expiry: string,
  fields: TrialFields,
): Refusal | null {
  if (expiryState(expiry, now) === 'expired')
    return fieldRefusal('invalid_input', fields.trials, 'The day of this trial has ended. Please try again.')
  if (mac_had) return macHadTrial(fields)
  if (given_today < business.trialsPerDay) return null
  return fieldRefusal(
    'trials_used_up',
    fields.trials,
    `You have given ${counted(given_today, 'trial')} today; the limit is ${business.trialsPerDay} a day.`,
  )
}

/** Returns why a client on a trial may not have this MAC; null where it may. */
export async function whyNotShared(
  dealing: TrialDealing,
  client: Pick<Concerned, 'id' | 'mac'>,
  { mac_had_elsewhere, mac_had_here, is_first }: TrialFacts,
  fields: TrialFields,
): Promise<Refusal | null> {
  if (mac_had_elsewhere) return macHadTrial(fields)
  if (mac_had_here || is_first) return null
  const { trialsPerDay } = dealing.business
  const shared = await sharedToday(dealing, client)
  if (shared < trialsPerDay) return null
  return fieldRefusal(
    'trials_used_up',
    fields.mac,
    `Your clients on a trial were given ${shared === 1 ? 'another MAC address' : `${shared} other MAC addresses`} today; the limit is ${trialsPerDay} a day.`,
  )
}

/**
 * Gives a client a trial until its expiry, or refuses it: also one that is over already, which would be used up without
 * serving anybody. Call it after the client's row was written.
 */
export async function giveTrial(
  dealing: TrialDealing & { clock: () => Date },
  client: Concerned,
  expiry: string,
  fields: TrialFields,
): Promise<void> {
  const { sql, account } = dealing
  // The lock makes a dealer's trials wait for each other, so that two at once are not both the last one allowed.
  const place = await lockPlace(sql, account)
  const facts = await trialFacts(dealing, client)
  // It may have waited for the place until after midnight.
  const refusal = whyNotGiven({ ...dealing, now: dealing.clock() }, facts, expiry, fields)
  if (refusal) throw refusal
  await note(sql, 'TRIAL', pathOf(place), [factsOf(dealing.account, { ...client, expiry })])
}

/**
 * Records that a client's MAC, or that of its box, shares the client's trial, or refuses it. Call it once no other
 * client can get the MAC, so that nobody gives it another trial meanwhile.
 */
export async function shareTrial(
  dealing: TrialDealing,
  client: Pick<Concerned, 'id' | 'mac'>,
  fields: TrialFields,
): Promise<void> {
  const { sql, account } = dealing
  if (client.mac === null) return
  // As where a trial is given: two at once are not both the last one allowed.
  await lockPlace(sql, account)
  const refusal = await whyNotShared(dealing, client, await trialFacts(dealing, client), fields)
  if (refusal) throw refusal
  await sql`
    insert into mac_trial (mac, client) values (${client.mac}, ${client.id}) on conflict do nothing`
}

/** Whether a client is on a trial: no month of its service is paid, or all of it but today was taken back. */
export async function livesOnTrial(
  dealing: TrialDealing,
  client: Pick<Served, 'id' | 'mac' | 'expiry'>,
): Promise<boolean> {
  const { sql, now, business } = dealing
  if ((await outstanding(sql, client.id)).length === 0) return true
  if (client.expiry !== endOf(dayOf(now, business.zone), business.zone)) return false
  return (await trialFacts(dealing, client)).client_had_today
}

/**
 * Returns what notes that a box shares the trial of the Ministra client that it signs in to, or says that it may not.
 */
export function trialsOfBoxes(business: Dealing['business']) {
  return async (
    sql: Sql,
    { id, dealer, mac, expiry }: { id: number; dealer: number; mac: string; expiry: number },
    now: Date,
  ): Promise<boolean> => {
    // A box is let in to an expired client only by a paid month.
    if (expiry < now.getTime()) return true
    const [balance] = await sql<{ id: number }[]>`
      select id from holding where account = ${dealer} and kind = 'balance'`
    if (!balance) throw new Error(`the dealer ${dealer} has no balance`)
    const dealing = { sql, now, business, account: { id: dealer, balance_holding: balance.id } }
    const client = { id, mac, expiry: new Date(expiry).toISOString() }
    if (!(await livesOnTrial(dealing, client))) return true
    try {
      await shareTrial(dealing, client, { mac: 'mac', trials: 'mac' })
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }
}

/** Returns the client with the MAC that its trial counts for: its own, or that of the box that has signed in to it. */
export async function withBoxMac<Of extends Pick<Concerned, 'id' | 'mac'>>(
  sql: Sql,
  client: Of,
  lock: 'lock' | 'read',
): Promise<Of> {
  if (client.mac !== null) return client
  // Whoever gives the box's MAC to another client changes this row too, so that one waits for the other.
  const [box] = await sql<{ mac: string | null }[]>`
    select mac from device where client = ${client.id} ${lock === 'lock' ? sql`for no key update` : sql``}`
  return { ...client, mac: box?.mac ?? null }
}

function macHadTrial({ mac }: TrialFields): Refusal {
  return fieldRefusal('mac_had_trial', mac, MAC_HAD_TRIAL)
}
