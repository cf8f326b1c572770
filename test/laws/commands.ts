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
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass'),
      hours: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 24 * 70 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('save'),
      child: someone,
      credits,
      remove: fc.boolean(),
      desc: fc.option(desc),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('create'),
      dealer: someone,
      slot,
      mac: fc.option(slot),
      months: fc.oneof(fc.constantFrom(0, '2d' as const), fc.integer({ min: 1, max: 4 })),
      desc,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('saveClient'),
      dealer: someone,
      client,
      months: fc.option(fc.nat({ max: 12 })),
      desc: fc.option(desc),
      ministra: fc.option(fc.boolean(), { freq: 2 }),
      mac: fc.option(slot),
      seen: fc.constantFrom('right', 'right', 'right', 'wrong', 'none'),
      seenExpiry: fc.constantFrom('right', 'wrong', 'none', 'none'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('changeMac'), dealer: someone, client, mac: fc.option(slot) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('throughMinistra'),
      dealer: someone,
      client,
      mac: fc.option(slot),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('takeAnOffer'), client, which: fc.nat({ max: 11 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('renew'),
      dealer: someone,
      client,
      months,
      seen: fc.constantFrom('right', 'wrong', 'none'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('renewMany'),
      dealer: someone,
      clients: fc.array(client, { minLength: 1, maxLength: 3 }),
      /** The same for all, or of each. */
      months: fc.oneof(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 3 }),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('retrieve'),
      dealer: someone,
      client,
      credits: fc.oneof(fc.integer({ min: 1, max: 3 }), months),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('remove'),
      dealer: someone,
      client,
      seen: fc.constantFrom('right', 'wrong', 'none', 'none'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('removeByAdmin'),
      client,
      seen: fc.constantFrom('right', 'wrong', 'none'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('suspend'), account: someone, byAdmin: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('lift'), account: someone, by: fc.nat({ max: 2 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('move'), account: someone, to: someone, byAdmin: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('moveClient'),
      dealer: someone,
      client,
      to: someone,
      by: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('close'), account: someone, byAdmin: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again') }) },
)
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
