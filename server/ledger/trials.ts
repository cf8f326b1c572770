import { refuseField } from '../refusal.ts'
import { dayOf, startOf } from './calendar.ts'
import type { Dealing } from './purchases.ts'

/** Refuses a trial that the dealer's day or the MAC's month has no room for. Call it with the client's row written. */
export async function permitTrial(dealing: Dealing, mac: string | null): Promise<void> {
  const { sql, account, now, business } = dealing
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
