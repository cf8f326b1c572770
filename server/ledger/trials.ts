import { DAY_MS } from '../../contract/time.ts'
import { type Refusal, refuseField } from '../refusal.ts'
import { dayOf, endOf, startOf } from './calendar.ts'
import { outstanding } from './outstanding.ts'
import { type Concerned, type Dealing, facts, type Served } from './purchases.ts'
import { note } from './transfer.ts'

/**
 * What decides about a trial. A dealer gives so many a day, each a TRIAL row. A MAC has one in 30 days, whoever gives
 * it, and has it as well where it comes to a client which lives on a trial: that is noted in `mac_trial`, and uses up
 * none of the dealer's.
 */
export type TrialFacts = {
  /** How many trials the dealer gave today. */
  given_today: number
  /** Whether one of them was this client's. */
  client_had_today: boolean
  /** Whether the client's MAC had a trial in 30 days, and whether with another client. */
  mac_had: boolean
  mac_had_elsewhere: boolean
}

/** The fields of a call that a refused trial concerns. */
export type TrialFields = { mac: string; trials: string }

export async function trialFacts(
  { sql, account, now, business }: Dealing,
  client: Pick<Concerned, 'id' | 'mac'>,
): Promise<TrialFacts> {
  const today = startOf(dayOf(now, business.zone), business.zone)
  const lately = new Date(now.getTime() - 30 * DAY_MS)
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
      exists (select from had where client <> ${client.id}) as mac_had_elsewhere`
  return found as TrialFacts
}

/** Why a dealer may not give a client a trial now; null where it may. */
export function whyNotGiven(
  { business }: Dealing,
  { given_today, mac_had }: TrialFacts,
  fields: TrialFields,
): Refusal | null {
  if (mac_had) return macHadTrial(fields)
  if (given_today < business.trialsPerDay) return null
  return refuseField(
    'trials_used_up',
    fields.trials,
    `You have given ${given_today} trials today; ${business.trialsPerDay} a day are possible.`,
  )
}

/** Why a client with this MAC may not live on a trial that was given before; null where it may. */
export function whyNotShared({ mac_had_elsewhere }: TrialFacts, fields: TrialFields): Refusal | null {
  return mac_had_elsewhere ? macHadTrial(fields) : null
}

/** Gives a client a trial until its expiry, or refuses it. Call it with the client's row written. */
export async function giveTrial(
  dealing: Dealing,
  client: Concerned,
  expiry: string,
  fields: TrialFields,
): Promise<void> {
  const { sql, account } = dealing
  // The dealer's trials of the day are counted one at a time.
  await sql`select from lock_holdings(${[account.balance_holding]}::bigint[])`
  const refusal = whyNotGiven(dealing, await trialFacts(dealing, client), fields)
  if (refusal) throw refusal
  await note(sql, 'TRIAL', facts(dealing, client, expiry))
}

/**
 * Lets the MAC of a client share the trial that the client lives on, or refuses it. Call it with the client's row
 * written: as no other client can have the MAC then, nobody gives it another trial meanwhile.
 */
export async function shareTrial(dealing: Dealing, client: Concerned, fields: TrialFields): Promise<void> {
  const { sql } = dealing
  if (client.mac === null) return
  const refusal = whyNotShared(await trialFacts(dealing, client), fields)
  if (refusal) throw refusal
  await sql`
    insert into mac_trial (mac, client) values (${client.mac}, ${client.id}) on conflict do nothing`
}

/** Whether what is left of a client's service is a trial: nothing of it is paid, or it was taken back but for today. */
export async function livesOnTrial(dealing: Dealing, client: Served): Promise<boolean> {
  const { sql, now, business } = dealing
  if ((await outstanding(sql, client.id)).length === 0) return true
  if (client.expiry !== endOf(dayOf(now, business.zone), business.zone)) return false
  return (await trialFacts(dealing, client)).client_had_today
}

function macHadTrial({ mac }: TrialFields): Refusal {
  return refuseField('mac_had_trial', mac, 'This MAC address had a trial within the last 30 days.')
}
