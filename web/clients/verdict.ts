import type { ToldRefusal } from '../../contract/box-refusals.ts'
import { type ExpiryState, expiryState } from '../../contract/clients.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { daysUntil, relativeDay, timeAgo } from '../parts/time.ts'
import type { Tone } from '../parts/tone.ts'

/** One thing that decides whether a client's box plays, with the act that mends it, or a fact of its box. */
export interface Verdict {
  says: string
  /** The moment whose day follows `says`, and how far off it is in words. */
  until?: { iso: string; away: string }
  tone: Tone
  /** True where it says how long ago something was, and so changes by itself. */
  ticks?: true
  mend?: 'renew' | 'switch on' | 'forget the lock' | 'forget the box' | 'take the MAC'
}

type Judged = Pick<
  ClientDetail,
  | 'expiry'
  | 'status'
  | 'locked'
  | 'locked_to_ip'
  | 'online'
  | 'box_refusal'
  | 'box_answered'
  | 'stb_sn'
  | 'channels'
  | 'near_box'
  | 'wrong_login'
>

/**
 * Returns what decides whether a client is served: the reasons against it in the order to mend them, then how long, and
 * last what is known of its box.
 */
export function verdictsOf(client: Judged, now: Date, zone: string): [Verdict, ...Verdict[]] {
  const state = expiryState(client.expiry, now)
  const left = daysUntil(client.expiry, zone, now)
  const refused = refusedBox(client, state, now, zone)
  const against: Verdict[] = [
    ...(client.status ? [] : [{ says: 'Switched off', tone: 'bad', mend: 'switch on' } as const]),
    ...refused,
    ...noChannels(client),
    ...nearBox(client, now, zone),
    ...wrongLogin(client, now, zone),
  ]
  const facts = [...lock(client), ...(refused.length > 0 ? [] : lastAsked(client, now, zone))]
  if (state === 'expired') {
    const expired: Verdict = { says: `Expired ${relativeDay(left)}`, tone: 'bad', mend: 'renew' }
    // Nothing else of an expired client changes until it is renewed.
    return [expired, ...against.map(({ mend: _, ...reason }) => reason), ...facts]
  }
  const served: Verdict = {
    says: client.status ? 'Served until' : 'Paid until',
    until: { iso: client.expiry, away: relativeDay(left) },
    tone: state === 'expiring' ? 'warn' : 'good',
  }
  const [first, ...more] = against
  return first ? [first, ...more, served, ...facts] : [served, ...facts]
}

/** Returns why the box of a client was refused when it asked last, where that reason still holds. */
function refusedBox(client: Judged, state: ExpiryState, now: Date, zone: string): Verdict[] {
  const { box_refusal, box_answered, status } = client
  // Only its dealer reads this, who cannot while a suspension of it holds.
  if (box_refusal === null || box_refusal === 'suspended' || box_answered === null) return []
  const isOver =
    (box_refusal === 'expired' && state !== 'expired') ||
    (box_refusal === 'switched_off' && status) ||
    (box_refusal === 'other_address' && !client.locked)
  if (isOver) return []
  const ago = timeAgo(box_answered, zone, now)
  if (box_refusal === 'other_address') return [fromElsewhere(client, ago)]
  const isAnother = box_refusal === 'other_box' || box_refusal === 'too_many_boxes'
  const mayBeAnother = isAnother || box_refusal === 'other_client' || box_refusal === 'no_trial'
  // Its own box goes on, which must not be forgotten for one of somebody who only knows the MAC.
  if (mayBeAnother && client.online)
    return [{ says: `Another box was refused ${ago}; its own is online`, tone: 'warn', ticks: true }]
  const says = `Its box was refused ${ago}: ${REFUSED[box_refusal]}`
  return [{ says, tone: 'bad', ticks: true, ...(isAnother && { mend: 'forget the box' as const }) }]
}

/** Tells of a box that the lock has refused. */
function fromElsewhere(client: Judged, ago: string): Verdict {
  const refused = { tone: 'bad', ticks: true } as const
  // Whoever runs the server has to name the proxy; here, nothing mends it but to switch off the lock.
  if (!isLocked(client))
    return {
      ...refused,
      says: `Its box was refused ${ago}: IP Lock is on, but a proxy hides the address of the box`,
    }
  // The box that was let in may have another address since, or somebody else knows its MAC.
  const says = client.online
    ? `A box was refused ${ago}: it came from another address than the one that was let in`
    : `Its box was refused ${ago}: it came from another address`
  return { ...refused, says, mend: 'forget the lock' }
}

/** Tells of a lock that has met a box. It is no fault before a box comes from another address. */
function lock(client: Judged): Verdict[] {
  return isLocked(client) ? [{ says: `Locked to ${client.locked_to_ip}`, tone: 'plain' }] : []
}

function isLocked({ locked, locked_to_ip }: Judged): boolean {
  return locked && locked_to_ip !== null
}

/** Tells of a package that no group of the playlist belongs to: its boxes show an empty list. */
function noChannels({ channels }: Judged): Verdict[] {
  if (channels !== 0) return []
  return [{ says: 'Its package has no channels: only the admin can give it some', tone: 'warn' }]
}

/** Tells when its box asked last, where nothing else does. */
function lastAsked({ online, box_answered, stb_sn, near_box }: Judged, now: Date, zone: string): Verdict[] {
  if (online) return [{ says: 'Its box is online', tone: 'plain' }]
  if (box_answered !== null)
    return [{ says: `Its box asked last ${timeAgo(box_answered, zone, now)}`, tone: 'plain', ticks: true }]
  // When it asked is stored some seconds later, and lost with a crash of the database and in a restored backup.
  if (stb_sn) return [{ says: 'Its box has signed in; when it asked last is not known', tone: 'plain' }]
  // A box that is forgotten with a reset or the MAC may have asked until then.
  return near_box ? [] : [{ says: 'No box has asked yet, or none since a reset or a new MAC', tone: 'plain' }]
}

/** Tells of a box with nearly the same MAC, while no box has asked with the client's own. */
function nearBox({ near_box }: Judged, now: Date, zone: string): Verdict[] {
  if (near_box === null) return []
  const says = `A box asked ${timeAgo(near_box.asked, zone, now)} with another MAC: ${near_box.mac}`
  return [{ says, tone: 'warn', ticks: true, mend: 'take the MAC' }]
}

/** Tells of a wrong password, since the box itself hears only that it may not play. */
function wrongLogin({ wrong_login }: Judged, now: Date, zone: string): Verdict[] {
  // A server of the version before does not say it.
  if (!wrong_login) return []
  const says = `A wrong password was tried with its login ${timeAgo(wrong_login, zone, now)}`
  return [{ says, tone: 'warn', ticks: true }]
}

const REFUSED: Readonly<Record<Exclude<ToldRefusal, 'other_address' | 'suspended'>, string>> = {
  switched_off: 'the client is switched off',
  expired: 'the client has expired',
  other_box: 'it is another box than the one before',
  too_many_boxes: 'three other boxes had signed in within a day',
  other_client: 'another client is signed in on it; reset that one, or try again a day later',
  no_trial: 'it cannot have another trial now; a paid month lets it in',
  other_reason: 'this version of Boxtree does not know the reason; the screen of the box says it',
}
