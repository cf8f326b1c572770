import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seed, whole } from '../../server/commands/demo/dice.ts'
import { runs, seedOf } from '../laws/runs.ts'
import { type Console, startConsole } from '../support/console.ts'
import { freshFolder } from '../support/folder.ts'
import { type OldPrimary, Pair } from '../support/pair.ts'
import { freePort } from '../support/port.ts'
import { range, WORKLOAD_ENV, Workload } from '../support/workload.ts'

const OLD_PRIMARIES: OldPrimary[] = ['still running', 'killed', 'shut down']

let pair: Pair
let console: Console
let workload: Workload
let start: () => Promise<Console>

beforeAll(async () => {
  pair = await Pair.start([freshFolder(), freshFolder()])
  const env = { ...WORKLOAD_ENV, ...pair.env, PORT: String(await freePort()) }
  const dataDir = freshFolder()
  start = () => startConsole({ dataDir, env })
  console = await start()
  workload = await Workload.create(console)
  await pair.join()
})
afterAll(async () => {
  await console?.stop()
  await pair?.stop()
})

test('a standby that is promoted in the middle of transfers has every acknowledged write', async () => {
  const times = runs(1, 10)
  const chosen = seedOf('the standby')
  seed(chosen)
  const took: number[] = []
  workload.start()
  for (let promotion = 0; promotion < times; promotion += 1) {
    if (promotion > 0) await pair.join()
    await workload.untilAcknowledged(50)
    await pause(whole(500))
    const old = OLD_PRIMARIES[(chosen + promotion) % OLD_PRIMARIES.length] as OldPrimary
    const began = performance.now()
    await pair.promote(old)
    await workload.untilAcknowledged(1)
    took.push(performance.now() - began)
    await expect.poll(() => changesOf(console), { timeout: 20_000 }).toBe(promotion + 1)
  }
  await workload.untilAcknowledged(50)
  await workload.stop()
  await workload.check(pair.at('console', 'shop'), 'console')
  const lost = await workload.findLostAnswers(pair.at('holder', 'shop'))
  process.stdout.write(
    `a standby was promoted ${times} times: writes went on after ${range(took)}; ${workload.summary}; ` +
      `${lost.length} were committed before the answered try\n`,
  )
})

// Every writer waits until its call times out, which takes too long for `npm test`.
if (runs(0, 1) > 0) {
  test('no write is acknowledged while the standby is down, and every call is answered', async () => {
    await pair.join()
    const resume = await pair.suspend()
    const before = workload.acknowledged
    workload.start()
    const refused = workload.tally.unavailable + 32
    while (workload.tally.unavailable < refused) await pause(100)
    expect(workload.acknowledged).toBe(before)
    resume()
    await workload.untilAcknowledged(50)
    await workload.stop()
    await workload.check(pair.at('console', 'shop'), 'console')
  })
}

test('a console that starts after a failover finds the new primary', async () => {
  if (!pair.hasStandby) await pair.join()
  expect(await console.stop()).toBe(0)
  console = await start()
  workload.start()
  await workload.untilAcknowledged(50)
  await workload.stop()
  await workload.check(pair.at('console', 'shop'), 'console')
})

/** Returns how often the log tells that the primary has changed. */
function changesOf({ output }: Console): number {
  return output().split('the primary of the database has changed').length - 1
}
