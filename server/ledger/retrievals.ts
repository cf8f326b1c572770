import { expiryState, MOST_MONTHS } from '../../contract/clients.ts'
import type { Refusal } from '../refusal.ts'
import { dayOf, endOf } from './calendar.ts'
import { periodFrom } from './months.ts'
import { type Outstanding, outstanding } from './outstanding.ts'
import type { Dealing, Served } from './purchases.ts'
import { type TrialFields, trialFacts, whyNotGiven, whyNotShared } from './trials.ts'

/** The outcome of a retrieval: the client's new expiry, and whether paid months or a trial remain. */
type Retrieval = { expiry: string; leaves: 'months' | 'an earlier trial' | 'a new trial' }

type Retrievals = {
  /** The outcome of retrieving 1, 2, 3 … credits, as far as each succeeds. */
  offered: Retrieval[]
  /** Why retrieving one more fails, where it would leave the client on a trial that it may not have. */
  refusal: Refusal | null
}

/** The field of the retrieval call at which a refused trial is reported. */
export const RETRIEVED: TrialFields = { mac: 'credits', trials: 'credits' }

/**
 * Computes what can be retrieved from a client, newest purchase first; the offer and the call itself both use it. A
 * purchase taken back whole returns the expiry to what it was before it; one taken back in part becomes the smaller
 * purchase. The expiry never falls before the end of today. Only the last retrieval can leave the client on a trial.
 */
export async function retrievals(dealing: Dealing, client: Served): Promise<Retrievals> {
  const { sql, now } = dealing
  if (expiryState(client.expiry, now) === 'expired') return { offered: [], refusal: null }
  const [facts, purchases] = await Promise.all([trialFacts(dealing, client), outstanding(sql, client.id)])
  const offered = possible(dealing, purchases, facts.client_had_today)
  const last = offered.at(-1)
  const refusal =
    last?.leaves === 'a new trial'
      ? whyNotGiven(dealing, facts, last.expiry, RETRIEVED)
      : last?.leaves === 'an earlier trial'
        ? await whyNotShared(dealing, client, facts, RETRIEVED)
        : null
  return { offered: refusal ? offered.slice(0, -1) : offered, refusal }
}

/** Returns the retrievals that the purchases allow, before the rules of trials are applied. */
function possible(
  { now, business: { zone } }: Dealing,
  purchases: Outstanding[],
  hadTrialToday: boolean,
): Retrieval[] {
  const today = endOf(dayOf(now, zone), zone)
  const retrievals: Retrieval[] = []
  while (purchases.length > 0) {
    const { credits, counted_from, expiry_before } = purchases.pop() as Outstanding
    for (let left = credits - 1; left >= 0; left -= 1) {
      const expiry = left > 0 ? periodFrom(counted_from, left, zone).expiry : expiry_before
      if (expiry < today || retrievals.length === MOST_MONTHS) return retrievals
      const isPaid = left > 0 || purchases.length > 0
      retrievals.push({ expiry, leaves: remainderOf(expiry === today, isPaid, hadTrialToday) })
    }
  }
  return retrievals
}

/**
 * A client left with today only counts as on a trial; otherwise a dealer could lend months for nothing, day after day.
 */
function remainderOf(isTodayOnly: boolean, isPaid: boolean, hadTrialToday: boolean): Retrieval['leaves'] {
  if (isTodayOnly) return hadTrialToday ? 'an earlier trial' : 'a new trial'
  return isPaid ? 'months' : 'an earlier trial'
}
