import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { seed, whole } from '../../server/commands/demo/dice.ts'
import { type Embedded, startEmbedded } from '../../server/postgres/embedded.ts'
import { openPool } from '../../server/postgres/pool.ts'
import { runs, seedOf } from '../laws/runs.ts'
import { type Console, startConsole } from '../support/console.ts'
import { CREW_ENV, CREW_PASSWORD, Crew, range } from '../support/crew.ts'
import { freePort } from '../support/external.ts'
import { freshFolder } from '../support/folder.ts'
import { type Answer, newClient, type Person } from '../support/world.ts'

/** In milliseconds; a limit of time is held where the machine has nothing else to do. */
const WITHIN = { ended: runs(60_000, 10_000) }

let dataDir: string
let env: Record<string, string>
let shop: Console
let crew: Crew

beforeAll(async () => {
  seed(seedOf('the load'))
  dataDir = freshFolder()
  env = { ...CREW_ENV, PORT: String(await freePort()), TRIALS_PER_DAY: '100000' }
  shop = await startConsole({ dataDir, env })
  crew = await Crew.hire(shop)
})
afterAll(() => shop?.stop())

test('told to end under load, it answers what it has taken, whole, and ends', async () => {
  const times = runs(2, 20)
  const took: number[] = []
  crew.start()
  for (let end = 0; end < times; end += 1) {
    await crew.untilDone(50)
    await pause(whole(500))
    const began = performance.now()
    expect(await shop.stop()).toBe(0)
    took.push(performance.now() - began)
    shop = await startConsole({ dataDir, env })
    expect(shop.output()).toContain('Database started')
  }
  await crew.stop()
  say(`told to end ${times} times: ended after ${range(took)}; ${crew.summary}`)
  expect(crew.tally.cut).toBe(0)
  expect(Math.max(...took)).toBeLessThan(WITHIN.ended)
  await withGuest(async (guest) => {
    expect(await crew.findUnanswered(guest.superuser)).toEqual([])
    await crew.prove(guest.server, 'boxtree_server')
  })
})

test('a thousand calls at once share ten connections: each is answered, and none waits for ever', async () => {
  const crowds = runs(1, 20)
  const statuses = new Map<number, number>()
  const took: number[] = []
  for (let crowd = 0; crowd < crowds; crowd += 1) {
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => one(index)))
    took.push(performance.now() - began)
    for (const answer of answers) {
      if (answer === null || answer === 'cut') throw new Error('a call was not answered')
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
    expect((await fetch(`${shop.url}/v1/health`)).status).toBe(200)
  }
  const seen = [...statuses].map(([status, count]) => `${count} times ${status}`)
  say(`${crowds} crowds of 1,000 calls: ${seen.join(', ')}; a crowd was served in ${range(took)}`)
  // Who would have had to wait for too long was told so; every other answer is one.
  expect([...statuses.keys()].sort().filter((status) => status !== 503)).toEqual([200])
  expect(await leftBegun()).toEqual([])
})

/** A call of the crowd: what people do all day, and what holds a connection for longer. */
async function one(index: number): Promise<Answer | null | 'cut'> {
  const { superreseller, reseller, dealer } = crew.places[
    index % crew.places.length
  ] as Crew['places'][number]
  switch (index % 10) {
    case 0:
      return dealer.attempt(calls.clients.list)
    case 1:
      return dealer.attempt(calls.clients.create, newClient({ ministra: true, stb_mac: null, months: 1 }))
    case 2:
      return reseller.attempt(calls.level.dealer.save, { name: dealer.name, credits: 1, transaction: 1 })
    case 3:
      return superreseller.attempt(calls.level.reseller.list)
    case 4:
      return dealer.attempt(calls.desk.dealer.transactions)
    case 5:
      return download(dealer)
    case 6:
      return reseller.attempt(calls.desk.reseller.transactions)
    case 7:
      return index % 100 === 7 ? changePassword(dealer) : dealer.attempt(calls.credits.dealer)
    case 8:
      return superreseller.attempt(calls.session.users)
    default:
      return dealer.attempt(calls.clients.create, newClient({ months: 0 }))
  }
}

/** Hashes a password while it holds a connection. */
function changePassword(person: Person): Promise<Answer | null | 'cut'> {
  return person.attempt(calls.session.password, { old_password: CREW_PASSWORD, password: CREW_PASSWORD })
}

async function download(dealer: Person): Promise<Answer | null | 'cut'> {
  const asked = await dealer.attempt(calls.clients.export, { format: 'csv' })
  if (asked === null || asked === 'cut' || asked.status !== 200) return asked
  const { ticket } = asked.body as { ticket: string }
  return dealer.attempt(calls.files.download, { ticket })
}

/** What the console has begun in the database and not ended. */
function leftBegun() {
  return withGuest(async (guest) => {
    const sql = openPool(guest.superuser, { max: 1 })
    try {
      return [
        ...(await sql`select query from pg_stat_activity where usename = 'boxtree_server' and state <> 'idle'`),
      ]
    } finally {
      await sql.end({ timeout: 1 })
    }
  })
}

async function withGuest<T>(work: (guest: Embedded) => Promise<T>): Promise<T> {
  const guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
  try {
    return await work(guest)
  } finally {
    await guest.stop()
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
