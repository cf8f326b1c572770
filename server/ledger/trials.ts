import { MAC_HAD_TRIAL } from '../../contract/clients.ts'
import { counted } from '../../contract/quantities.ts'
import { before, DAY_MS } from '../../contract/time.ts'
import { fieldRefusal, type Refusal } from '../refusal.ts'
import { dayOf, endOf, startOf } from './calendar.ts'
import { outstanding } from './outstanding.ts'
import { pathOf } from './path.ts'
import type { Dealing, Served } from './purchases.ts'
import { type Concerned, factsOf, lockPlace, note } from './transfer.ts'

/**
 * What decides whether a trial may be given. A dealer gives TRIALS_PER_DAY, each a TRIAL row. A MAC has one in 30 days,
 * whoever gives it. A MAC that is moved to a client on a trial has had one too: `mac_trial` records that. It is no trial
 * of the dealer's, but there are as many in a day, since a script could take the trial from any number of MACs.
 */
type TrialFacts = {
  given_today: number
  /** Whether one of them was this client's. */
  client_had_today: boolean
  /** Whether the client's MAC had a trial in the last 30 days, and whether with another client. */
  mac_had: boolean
  mac_had_elsewhere: boolean
  /** Whether the MAC had a trial with this client, however long ago, or there is none. */
  mac_had_here: boolean
  /** How many other MACs clients on a trial have got today that are the dealer's, or were until today, without this one. */
  shared_today: number
}

/** The fields of a call at which a refused trial is reported. */
export type TrialFields = { mac: string; trials: string }

export async function trialFacts(
  { sql, account, now, business }: Dealing,
  client: Pick<Concerned, 'id' | 'mac'>,
): Promise<TrialFacts> {
  const today = startOf(dayOf(now, business.zone), business.zone)
  const lately = before(now, 30 * DAY_MS)
  const [found] = await sql<TrialFacts[]>`
    with had as (
      select client from transfer where type = 'TRIAL' and mac = ${client.mac} and created > ${lately}
      union all
      select client from mac_trial where mac = ${client.mac} and created > ${lately}
    )
    select
      (select count(*) from transfer
        where dealer = ${account.id} and type = 'TRIAL' and created >= ${today}) as given_today,
      exists (select from transfer
        where client = ${client.id} and type = 'TRIAL' and created >= ${today}) as client_had_today,
      exists (select from had) as mac_had,
      exists (select from had where client <> ${client.id}) as mac_had_elsewhere,
      ${client.mac}::text is null or exists (
        select from transfer where client = ${client.id} and type = 'TRIAL' and mac = ${client.mac}
        union all
        select from mac_trial where client = ${client.id} and mac = ${client.mac}
      ) as mac_had_here,
      (select count(distinct (m.client, m.mac)) from mac_trial m
        -- One by one, because a plan for any day would read all clients for them.
        cross join lateral (
          select from client c where c.id = m.client and (c.dealer = ${account.id} or exists (
            select from transfer t where t.client = c.id and t.from_dealer = ${account.id} and t.created >= m.created
          )) offset 0
        ) of_dealer
        where m.created >= ${today} and (m.client <> ${client.id} or m.mac <> ${client.mac})
          and not exists (select from transfer t where t.client = m.client and t.type = 'TRIAL' and t.mac = m.mac)
      ) as shared_today`
  return found as TrialFacts
}

/** Returns why a dealer may not give a client a trial now; null where it may. */
export function whyNotGiven(
  { business }: Dealing,
  { given_today, mac_had }: TrialFacts,
  fields: TrialFields,
): Refusal | null {
  if (mac_had) return macHadTrial(fields)
  if (given_today < business.trialsPerDay) return null
  return fieldRefusal(
    'trials_used_up',
    fields.trials,
    `You have given ${counted(given_today, 'trial')} today; the limit is ${business.trialsPerDay} a day.`,
  )
}

/** Returns why a client on a trial may not have this MAC; null where it may. */
export function whyNotShared(
  { business }: Dealing,
  { mac_had_elsewhere, mac_had_here, shared_today }: TrialFacts,
  fields: TrialFields,
): Refusal | null {
  if (mac_had_elsewhere) return macHadTrial(fields)
  if (mac_had_here || shared_today < business.trialsPerDay) return null
  return fieldRefusal(
    'trials_used_up',
    fields.mac,
    `Your clients on a trial were given ${shared_today === 1 ? 'another MAC address' : `${shared_today} other MAC addresses`} today; the limit is ${business.trialsPerDay} a day.`,
  )
}

/** Gives a client a trial until its expiry, or refuses it. Call it after the client's row was written. */
export async function giveTrial(
  dealing: Dealing,
  client: Concerned,
  expiry: string,
  fields: TrialFields,
): Promise<void> {
  const { sql, account } = dealing
  // The lock makes a dealer's trials wait for each other, so that two at once are not both the last one allowed.
  const place = await lockPlace(sql, account)
  const refusal = whyNotGiven(dealing, await trialFacts(dealing, client), fields)
  if (refusal) throw refusal
  await note(sql, 'TRIAL', pathOf(place), [factsOf(dealing.account, { ...client, expiry })])
}

/**
 * Records that the MAC of a client shares the client's trial, or refuses it. Call it after the client's row was
 * written: no other client can have the MAC then, so nobody gives it another trial meanwhile.
 */
export async function shareTrial(dealing: Dealing, client: Concerned, fields: TrialFields): Promise<void> {
  const { sql, account } = dealing
  if (client.mac === null) return
  // As where a trial is given: two at once are not both the last one allowed.
  await lockPlace(sql, account)
  const refusal = whyNotShared(dealing, await trialFacts(dealing, client), fields)
  if (refusal) throw refusal
  await sql`
    insert into mac_trial (mac, client) values (${client.mac}, ${client.id}) on conflict do nothing`
}

/** Whether a client is on a trial: no month of its service is paid, or all of it but today was taken back. */
export async function livesOnTrial(dealing: Dealing, client: Served): Promise<boolean> {
  const { sql, now, business } = dealing
  if ((await outstanding(sql, client.id)).length === 0) return true
  if (client.expiry !== endOf(dayOf(now, business.zone), business.zone)) return false
  return (await trialFacts(dealing, client)).client_had_today
}

function macHadTrial({ mac }: TrialFields): Refusal {
  return fieldRefusal('mac_had_trial', mac, MAC_HAD_TRIAL)
}
