import fc from 'fast-check'

/** The time zones that a run chooses from. */
export const ZONES = ['UTC', 'Europe/Lisbon', 'America/Sao_Paulo'] as const
/** The number of logins and of MACs that the dealers of one tree share; it is small, so that they collide. */
export const SLOTS = 7

const slot = fc.nat({ max: SLOTS - 1 })
/** An index from which a tree picks a client, mostly one that exists. */
const client = fc.nat({ max: 1_000 })
const months = fc.integer({ min: 1, max: 12 })
const someone = fc.nat({ max: 100 })
const desc = fc.constantFrom('', 'Hall', 'Kitchen')
/** Mostly few credits, sometimes more than anybody has. */
const credits = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 15 }) },
  { weight: 1, arbitrary: fc.nat({ max: 10_000 }) },
)

/** Commands of random numbers, from which a tree picks accounts and clients that exist. */
const command = fc.oneof(
  // Lets fast-check shrink a failing run to a few simple commands.
  { withCrossShrink: true },
  kind(2, 'pass', { hours: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 24 * 70 })) }),
  kind(3, 'save', { child: someone, credits, remove: fc.boolean(), desc: fc.option(desc) }),
  kind(5, 'create', {
    dealer: someone,
    slot,
    mac: fc.option(slot),
    months: fc.oneof(fc.constantFrom(0, '2d' as const), fc.integer({ min: 1, max: 4 })),
    desc,
  }),
  kind(3, 'saveClient', {
    dealer: someone,
    client,
    months: fc.option(fc.nat({ max: 12 })),
    desc: fc.option(desc),
    ministra: fc.option(fc.boolean(), { freq: 2 }),
    mac: fc.option(slot),
    seen: fc.constantFrom('right', 'right', 'right', 'wrong', 'none'),
    seenExpiry: fc.constantFrom('right', 'wrong', 'none', 'none'),
  }),
  kind(4, 'changeMac', { dealer: someone, client, mac: fc.option(slot) }),
  kind(2, 'throughMinistra', { dealer: someone, client, mac: fc.option(slot) }),
  kind(3, 'takeAnOffer', { client, which: fc.nat({ max: 11 }) }),
  kind(4, 'renew', { dealer: someone, client, months, seen: fc.constantFrom('right', 'wrong', 'none') }),
  kind(2, 'renewMany', {
    dealer: someone,
    clients: fc.array(client, { minLength: 1, maxLength: 3 }),
    /** The same for all, or of each. */
    months: fc.oneof(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 3 }),
    ),
  }),
  kind(4, 'retrieve', {
    dealer: someone,
    client,
    credits: fc.oneof(fc.integer({ min: 1, max: 3 }), months),
  }),
  kind(2, 'remove', { dealer: someone, client, seen: fc.constantFrom('right', 'wrong', 'none', 'none') }),
  kind(2, 'removeByAdmin', { client, seen: fc.constantFrom('right', 'wrong', 'none') }),
  kind(1, 'suspend', { account: someone, byAdmin: fc.boolean(), serviceToo: fc.boolean() }),
  kind(3, 'lift', { account: someone, by: fc.nat({ max: 2 }) }),
  kind(3, 'move', { account: someone, to: someone, byAdmin: fc.boolean() }),
  kind(3, 'moveClient', { dealer: someone, client, to: someone, by: fc.nat({ max: 2 }) }),
  kind(1, 'close', { account: someone, byAdmin: fc.boolean() }),
  kind(2, 'again', {}),
)

function kind<const Name extends string, Fields>(
  weight: number,
  name: Name,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
): { weight: number; arbitrary: fc.Arbitrary<{ do: Name } & fc.RecordValue<Fields, keyof Fields>> } {
  return { weight, arbitrary: fc.record(fields).map((rest) => ({ do: name, ...rest })) }
}

export type Command = typeof command extends fc.Arbitrary<infer One> ? One : never

const tree = fc.array(fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 2,
})
const beginning = fc.integer({ min: Date.parse('2017-01-01'), max: Date.parse('2029-01-01') })

/** A run: a zone, the time it begins at, a tree's shape, and sixty commands. */
export const run = fc.tuple(
  fc.nat({ max: ZONES.length - 1 }),
  beginning,
  tree,
  fc.array(command, { minLength: 60, maxLength: 60 }),
)

export type Run = typeof run extends fc.Arbitrary<infer One> ? One : never
