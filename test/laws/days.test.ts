import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { fillSums } from '../../server/ledger/sums.ts'
import { fillBranchDays } from '../../server/nouns/growth.ts'
import { fillStatistics } from '../../server/nouns/statistics.ts'
import { PLAYED } from '../../server/verify/guards.ts'
import { verify } from '../../server/verify/verify.ts'
import { newClient, type Person, suiteWorld } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

const world = await suiteWorld()

const some = fc.nat({ max: 3 })
const step = fc.oneof(
  { arbitrary: fc.record({ does: fc.constant('end the day') }), weight: 4 },
  { arbitrary: fc.record({ does: fc.constant('close a dealer'), at: some }), weight: 3 },
  { arbitrary: fc.record({ does: fc.constant('move a reseller'), at: some, to: some }), weight: 3 },
  { arbitrary: fc.record({ does: fc.constant('move a dealer'), at: some, to: some }), weight: 2 },
  { arbitrary: fc.record({ does: fc.constant('add a dealer'), at: some }), weight: 1 },
  { arbitrary: fc.record({ does: fc.constant('add a client'), at: some }), weight: 1 },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** A tree of two superresellers, four resellers and four dealers, and what happens to it. */
class Branches {
  readonly superresellers: Person[] = []
  readonly resellers: Person[] = []
  readonly dealers: Person[] = []

  async build(): Promise<void> {
    for (const _ of [1, 2]) this.superresellers.push(await world.child(world.admin))
    for (const above of [...this.superresellers, ...this.superresellers])
      this.resellers.push(await world.child(above))
    for (const above of this.resellers) this.dealers.push(await world.child(above))
  }

  /** Returns whether it was done: what a rule forbids, as to move a closed account, changes nothing. */
  async take(one: Step): Promise<boolean> {
    const { superresellers, resellers, dealers } = this
    const { admin } = world
    switch (one.does) {
      case 'end the day':
        world.clock.pass({ days: 1 })
        await fillStatistics(world.server.sql, world.clock.now, 'UTC')
        await fillBranchDays(world.server.sql, world.clock.now, 'UTC')
        await fillSums(world.server.sql, world.clock.now, 'UTC', 2)
        return true
      case 'close a dealer':
        return succeeded(admin.send(calls.tree.close, { name: nameAt(dealers, one.at) }))
      case 'move a reseller': {
        const to = nameAt(superresellers, one.to)
        return succeeded(admin.send(calls.tree.move, { name: nameAt(resellers, one.at), to }))
      }
      case 'move a dealer': {
        const to = nameAt(resellers, one.to)
        return succeeded(admin.send(calls.tree.move, { name: nameAt(dealers, one.at), to }))
      }
      case 'add a dealer':
        dealers.push(await world.child(at(resellers, one.at)))
        return true
      case 'add a client':
        return succeeded(at(dealers, one.at).send(calls.clients.create, newClient()))
    }
  }
}

function at(people: readonly Person[], nr: number): Person {
  return people[nr % people.length] as Person
}

function nameAt(people: readonly Person[], nr: number): string {
  return at(people, nr).name
}

async function succeeded(answer: Promise<{ status: number }>): Promise<boolean> {
  return (await answer).status === 200
}

test('a finished day stays what it was, whatever is moved and closed later', {
  timeout: runs(600_000, 1_200_000),
}, async () => {
  const done = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 20 }), async (steps) => {
      const branches = new Branches()
      await branches.build()
      for (const one of steps) if (await branches.take(one)) done.set(one.does, (done.get(one.does) ?? 0) + 1)
      // verify adds up every finished day again, from all that ever happened.
      expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({
        first: null,
        others: [PLAYED],
      })
    }),
    // Each run adds superresellers whose every day is written and proved again, so the time grows with the square.
    { seed: seedOf('the law of finished days'), numRuns: runs(25, 100) },
  )
  // A law whose cases never occur tests nothing.
  for (const does of ['close a dealer', 'move a reseller', 'move a dealer'])
    expect(done.get(does) ?? 0, does).toBeGreaterThan(5)
})
