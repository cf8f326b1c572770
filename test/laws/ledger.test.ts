import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../contract/time.ts'
import { PLAYED } from '../../server/verify/guards.ts'
import { verify } from '../../server/verify/verify.ts'
import { proveTheBooks } from '../support/books.ts'
import { type Run, run } from './commands.ts'
import { runs, seedOf } from './runs.ts'
import { openSetting, type Setting, Tree } from './tree.ts'

const MONTH = 30 * DAY_MS

describe('for any commands on any tree of accounts', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await openSetting()
  })
  afterAll(() => setting.close())

  test('the server does what the model does, and the books balance', {
    timeout: runs(1_200_000, 3_600_000),
  }, async () => {
    const outcomes = new Map<string, number>()
    await holds(runs(120, 2_000), async ([zone, now, shape, commands]) => {
      const tree = new Tree(setting, zone, now)
      await tree.build(shape)
      for (const command of commands) await tree.perform(command)
      await tree.compare()
      for (const one of tree.outcomes) outcomes.set(one, (outcomes.get(one) ?? 0) + 1)
    })
    await proveTheBooks(setting.world.server.ownerSql)
    // A law whose cases never occur tests nothing.
    const rare = EXPECTED.filter((one) => (outcomes.get(one) ?? 0) < 5)
    expect(rare, JSON.stringify([...outcomes])).toEqual([])
  })
})

test('verify finds nothing wrong in books that only calls have written', {
  timeout: runs(600_000, 1_200_000),
}, async () => {
  const setting = await openSetting()
  const { world } = setting
  try {
    await holds(runs(12, 200), async ([zone, gap, shape, commands]) => {
      // verify expects the ledger's times in order, so no tree may begin before the clock.
      const tree = new Tree(setting, zone, world.clock.now.getTime() + (gap % MONTH))
      await tree.build(shape)
      for (const command of commands) await tree.perform(command)
    })
    expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
  } finally {
    await setting.close()
  }
})

/** Outcomes that the runs must reach: every type of row, a MAC that shares a trial, and every possible refusal. */
const EXPECTED = [
  ...['ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'a shared trial', 'DELETE', 'MOVE'],
  ...['insufficient_credits', 'name_taken', 'mac_taken', 'trials_used_up', 'mac_had_trial', 'client_expired'],
  ...['client_not_expired', 'not_retrievable', 'not_found', 'changed_since', 'invalid_input'],
  ...['account_suspended', 'no_session', 'moved', 'closed', 'not_empty'],
]

function holds(numRuns: number, law: (run: Run) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(run, law), { seed: seedOf('the law of the ledger'), numRuns })
}
