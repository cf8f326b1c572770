import type { calls } from '../../contract/calls.ts'
import type { Handler } from '../context.ts'
import { trialFacts } from '../ledger/trials.ts'

/** The id of no client: the one that the trial is for has not been made yet. */
const NOBODY = 0

/** Returns how many trials the dealer may still give today, and whether a MAC had one within 30 days. */
export const trials: Handler<typeof calls.clients.trials> = async (context, { mac = null }) => {
  const { trialsPerDay } = context.business
  const facts = await trialFacts(context, { id: NOBODY, mac })
  return {
    a_day: trialsPerDay,
    left: Math.max(0, trialsPerDay - facts.given_today),
    mac_had: facts.mac_had,
  }
}
