import { expiryState } from '../../contract/clients.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { daysUntil, relativeDay, showDay } from '../parts/time.ts'
import type { Tone } from '../parts/tone.ts'
import { days } from '../words.ts'

/** One thing that decides whether a client's box plays, and the act that mends it. */
export interface Verdict {
  says: string
  tone: Tone
  mend?: 'renew' | 'switch on' | 'forget the lock'
}

type Judged = Pick<ClientDetail, 'expiry' | 'status' | 'locked' | 'locked_to_ip'>

/** Returns what decides whether a client is served: the reasons against it in the order to mend them, then how long. */
export function verdictsOf(client: Judged, now: Date, zone: string): [Verdict, ...Verdict[]] {
  const state = expiryState(client.expiry, now)
  const left = daysUntil(client.expiry, zone, now)
  const against: Verdict[] = [
    ...(client.status ? [] : [{ says: 'Switched off', tone: 'bad', mend: 'switch on' } as const]),
    ...(client.locked && client.locked_to_ip !== null
      ? [{ says: `Locked to ${client.locked_to_ip}`, tone: 'warn', mend: 'forget the lock' } as const]
      : []),
  ]
  if (state === 'expired') {
    const expired: Verdict = { says: `Expired ${relativeDay(left)}`, tone: 'bad', mend: 'renew' }
    // Nothing else of an expired client changes until it is renewed.
    return [expired, ...against.map(({ mend: _, ...reason }) => reason)]
  }
  const until = left === 0 ? 'the end of today' : `${showDay(client.expiry, zone, now)}, ${days(left)}`
  const served: Verdict = {
    says: `${client.status ? 'Served' : 'Paid'} until ${until}`,
    tone: state === 'expiring' ? 'warn' : 'good',
  }
  const [first, ...more] = against
  return first ? [first, ...more, served] : [served]
}
