import { expect, test } from 'vitest'
import { type Verdict, verdictsOf } from './verdict.ts'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const NOT_ASKED = {
  ...{ online: false, box_refusal: null, box_answered: null, near_box: null, wrong_login: null },
  ...{ stb_sn: null, channels: null },
}
const SERVED = {
  expiry: '2027-01-14T23:59:59.000Z',
  status: true,
  locked: false,
  locked_to_ip: null,
  ...NOT_ASKED,
}
const EXPIRED = { ...SERVED, expiry: '2026-09-24T23:59:59.000Z' }
const NO_BOX = 'No box has asked yet, or none since a reset or a new MAC'
const LOCKED = { locked: true, locked_to_ip: '203.0.113.7' }

test.each([
  [SERVED, ['Served until 2027-01-14, in 54 days']],
  [{ ...SERVED, expiry: '2026-12-01T23:59:59.000Z' }, ['Served until 2026-12-01, in 10 days']],
  [{ ...SERVED, expiry: '2026-11-22T23:59:59.000Z' }, ['Served until 2026-11-22, tomorrow']],
  [{ ...SERVED, expiry: '2026-11-21T23:59:59.000Z' }, ['Served until 2026-11-21, today']],
  [EXPIRED, ['Expired 58 days ago']],
  [{ ...SERVED, expiry: '2026-11-20T23:59:59.000Z' }, ['Expired yesterday']],
  [{ ...SERVED, status: false }, ['Switched off', 'Paid until 2027-01-14, in 54 days']],
  // A lock is no fault before a box comes from another address.
  [{ ...SERVED, ...LOCKED }, ['Served until 2027-01-14, in 54 days', 'Locked to 203.0.113.7']],
  [{ ...SERVED, expiry: '2027-11-21T23:59:59.000Z' }, ['Served until 2027-11-21, in 365 days']],
  // The lock is off, or has met no box yet.
  [{ ...SERVED, locked_to_ip: '203.0.113.7' }, ['Served until 2027-01-14, in 54 days']],
  [{ ...SERVED, locked: true }, ['Served until 2027-01-14, in 54 days']],
  [
    { ...EXPIRED, ...LOCKED, status: false },
    ['Expired 58 days ago', 'Switched off', 'Locked to 203.0.113.7'],
  ],
])('%o is judged as %j', (client, says) => {
  expect(verdictsOf(client, NOW, 'UTC').map(whole)).toEqual([...says, NO_BOX])
})

test('a package without channels is told of, as long as there is a playlist', () => {
  const of = (channels: number | null) =>
    verdictsOf({ ...SERVED, channels }, NOW, 'UTC').map(({ says }) => says)
  expect(of(0)).toEqual([
    'Its package has no channels: only the admin can give it some',
    'Served until',
    NO_BOX,
  ])
  expect(of(null)).toEqual(['Served until', NO_BOX])
  expect(of(7)).toEqual(['Served until', NO_BOX])
})

test('each reason has the act that mends it, and an expired client is renewed before anything else', () => {
  const refused = { box_refusal: 'other_address', box_answered: NOW.toISOString() } as const
  const broken = { ...SERVED, ...LOCKED, ...refused, status: false }
  const mends = (expiry: string) => verdictsOf({ ...broken, expiry }, NOW, 'UTC').map(({ mend }) => mend)
  expect(mends(SERVED.expiry)).toEqual(['switch on', 'forget the lock', undefined, undefined])
  expect(mends(EXPIRED.expiry)).toEqual(['renew', undefined, undefined, undefined])
})

test.each([
  [{ box_answered: '2026-11-15T10:00:00.000Z' }, 'Its box asked last 6 days ago'],
  [{ box_answered: '2026-11-21T09:59:00.000Z', online: true }, 'Its box is online'],
  // Stored moments are lost with a crash, and in a restored backup.
  [{ stb_sn: 'S3' }, 'Its box has signed in; when it asked last is not known'],
  // It was renewed since, and its box has not asked again.
  [
    { box_answered: '2026-11-18T10:00:00.000Z', box_refusal: 'expired' as const },
    'Its box asked last 3 days ago',
  ],
])('a box that is not refused, %o, is told of after the verdict', (box, says) => {
  expect(verdictsOf({ ...SERVED, ...box }, NOW, 'UTC').map(whole)).toEqual([
    'Served until 2027-01-14, in 54 days',
    says,
  ])
})

test.each([
  [
    'other_box',
    '2026-11-21T09:58:00.000Z',
    {},
    'Its box was refused 2 minutes ago: it is another box than the one before',
  ],
  [
    'too_many_boxes',
    '2026-11-21T07:00:00.000Z',
    {},
    'Its box was refused 3 hours ago: three other boxes had signed in within a day',
  ],
  [
    'other_client',
    '2026-11-21T09:58:00.000Z',
    {},
    'Its box was refused 2 minutes ago: another client is signed in on it; reset that one, or try again a day later',
  ],
  [
    'no_trial',
    '2026-11-21T09:58:00.000Z',
    {},
    'Its box was refused 2 minutes ago: it cannot have another trial now; a paid month lets it in',
  ],
  [
    'other_reason',
    '2026-11-21T09:58:00.000Z',
    {},
    'Its box was refused 2 minutes ago: this version of Boxtree does not know the reason; the screen of the box says it',
  ],
  [
    'other_address',
    '2026-11-21T09:59:59.000Z',
    LOCKED,
    'Its box was refused this minute: it came from another address',
  ],
  [
    'other_address',
    '2026-11-21T09:59:59.000Z',
    { locked: true },
    'Its box was refused this minute: IP Lock is on, but a proxy hides the address of the box',
  ],
  [
    'switched_off',
    '2026-11-21T09:58:00.000Z',
    { status: false },
    'Its box was refused 2 minutes ago: the client is switched off',
  ],
  [
    'expired',
    '2026-11-21T09:58:00.000Z',
    EXPIRED,
    'Its box was refused 2 minutes ago: the client has expired',
  ],
] as const)(
  'a box that was refused as %s is told of while the reason holds',
  (box_refusal, box_answered, more, says) => {
    const said = (client: object) =>
      verdictsOf({ ...SERVED, ...client }, NOW, 'UTC').map((verdict) => verdict.says)
    expect(said({ ...more, box_refusal, box_answered })).toContain(says)
    const mended = said({ box_refusal, box_answered }).includes(says)
    expect(mended).toBe(Object.keys(more).length === 0)
  },
)

test('a suspension is over where a dealer reads of its box, since it could not sign in before', () => {
  const refused = { box_refusal: 'suspended', box_answered: '2026-11-18T10:00:00.000Z' } as const
  expect(verdictsOf({ ...SERVED, ...refused }, NOW, 'UTC').map(whole)).toEqual([
    'Served until 2027-01-14, in 54 days',
    'Its box asked last 3 days ago',
  ])
})

test.each(['other_box', 'too_many_boxes', 'other_client', 'no_trial'] as const)(
  'a box that was refused as %s while the own one is online is told of, and nothing is forgotten for it',
  (box_refusal) => {
    const refused = { online: true, box_refusal, box_answered: '2026-11-21T09:58:00.000Z' }
    const [first] = verdictsOf({ ...SERVED, ...refused }, NOW, 'UTC')
    expect(first).toEqual({
      says: 'Another box was refused 2 minutes ago; its own is online',
      tone: 'warn',
      ticks: true,
    })
  },
)

test('a box that was online a moment ago and asks from another address is let in by forgetting the lock', () => {
  const refused = {
    online: true,
    box_refusal: 'other_address',
    box_answered: '2026-11-21T09:58:00.000Z',
  } as const
  const [first] = verdictsOf({ ...SERVED, ...LOCKED, ...refused }, NOW, 'UTC')
  expect(first).toMatchObject({
    says: 'A box was refused 2 minutes ago: it came from another address than the one that was let in',
    mend: 'forget the lock',
  })
})

test('another box is taken by a reset', () => {
  const [first] = verdictsOf(
    { ...SERVED, box_refusal: 'other_box', box_answered: NOW.toISOString() },
    NOW,
    'UTC',
  )
  expect(first.mend).toBe('forget the box')
})

test('a box with nearly the MAC of a client is taken over, but not by an expired one', () => {
  const near_box = { mac: '00:1A:79:AB:CD:E0', asked: '2026-11-21T09:58:00.000Z', digits: 1 }
  const says = 'A box asked 2 minutes ago with another MAC: 00:1A:79:AB:CD:E0'
  expect(verdictsOf({ ...SERVED, near_box }, NOW, 'UTC')).toMatchObject([
    { says, mend: 'take the MAC' },
    { says: 'Served until' },
  ])
  const [, second] = verdictsOf({ ...EXPIRED, near_box }, NOW, 'UTC')
  expect(second).toEqual({ says, tone: 'warn', ticks: true })
})

test('a wrong password that was tried with the login of a client is told of', () => {
  const wrong_login = '2026-11-21T09:58:00.000Z'
  expect(verdictsOf({ ...SERVED, wrong_login }, NOW, 'UTC')).toMatchObject([
    { says: 'A wrong password was tried with its login 2 minutes ago', tone: 'warn' },
    { says: 'Served until' },
    { says: NO_BOX },
  ])
})

test('days are those of the business: the last second of a day in its zone is still that day', () => {
  const client = { ...SERVED, expiry: '2026-11-22T02:59:59.000Z' }
  expect(verdictsOf(client, NOW, 'America/Sao_Paulo')[0].until?.away).toBe('today')
})

/** A verdict as the card shows it in UTC. */
function whole({ says, until }: Verdict): string {
  return until ? `${says} ${until.iso.slice(0, 10)}, ${until.away}` : says
}
