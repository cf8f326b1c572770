import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seed, whole } from '../../server/commands/demo/dice.ts'
import { runs, seedOf } from '../laws/runs.ts'
import { type Console, startConsole } from '../support/console.ts'
import { CREW_ENV, Crew, range } from '../support/crew.ts'
import { freePort } from '../support/external.ts'
import { freshFolder } from '../support/folder.ts'
import { type Going, Pair } from '../support/pair.ts'

const GOINGS: Going[] = ['outlived', 'killed', 'shut down']

let pair: Pair
let shop: Console
let crew: Crew
let start: () => Promise<Console>

beforeAll(async () => {
  pair = await Pair.start([freshFolder(), freshFolder()])
  const env = { ...CREW_ENV, ...pair.env, PORT: String(await freePort()) }
  const dataDir = freshFolder()
  start = () => startConsole({ dataDir, env })
  shop = await start()
  crew = await Crew.hire(shop)
  await pair.join()
})
afterAll(async () => {
  await shop?.stop()
  await pair?.stop()
})

test('a standby that takes over in the middle of transfers has everything that was acknowledged', async () => {
  const times = runs(1, 10)
  const chosen = seedOf('the standby')
  seed(chosen)
  const took: number[] = []
  crew.start()
  for (let promotion = 0; promotion < times; promotion += 1) {
    if (promotion > 0) await pair.join()
    await crew.untilDone(50)
    await pause(whole(500))
    const going = GOINGS[(chosen + promotion) % GOINGS.length] as Going
    const began = performance.now()
    await pair.promote(going)
    await crew.untilDone(1)
    took.push(performance.now() - began)
  }
  await crew.untilDone(50)
  await crew.stop()
  await crew.prove(pair.at('console', 'shop'), 'console')
  const doubted = await crew.findUnanswered(pair.at('keeper', 'shop'))
  process.stdout.write(
    `a standby promoted ${times} times: writes went on after ${range(took)}; ${crew.summary}; ` +
      `${doubted.length} were done before anybody was told\n`,
  )
})

// It waits for every writer's patience to end.
if (runs(0, 1) > 0) {
  test('while the standby is away nothing is acknowledged, and nobody waits for ever', async () => {
    await pair.join()
    const resume = await pair.suspend()
    const before = crew.done
    crew.start()
    const refused = crew.tally.unavailable + 32
    while (crew.tally.unavailable < refused) await pause(100)
    expect(crew.done).toBe(before)
    resume()
    await crew.untilDone(50)
    await crew.stop()
    await crew.prove(pair.at('console', 'shop'), 'console')
  })
}

test('a console that starts afterwards finds the primary behind the standby', async () => {
  if (!pair.hasStandby) await pair.join()
  expect(await shop.stop()).toBe(0)
  shop = await start()
  crew.start()
  await crew.untilDone(50)
  await crew.stop()
  await crew.prove(pair.at('console', 'shop'), 'console')
})
