import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { seed, whole } from '../../server/commands/demo/dice.ts'
import { type Embedded, startEmbedded } from '../../server/postgres/embedded.ts'
import { openPool } from '../../server/postgres/pool.ts'
import { runs, seedOf } from '../laws/runs.ts'
import { type Console, startConsole } from '../support/console.ts'
import { freshFolder, putCluster } from '../support/folder.ts'
import { freePort } from '../support/port.ts'
import { range, WORKLOAD_ENV, WORKLOAD_PASSWORD, Workload } from '../support/workload.ts'
import { type Answer, newClient, type Person } from '../support/world.ts'

/** In milliseconds; the strict limits apply in `npm run faults`, where nothing else loads the machine. */
const WITHIN = { ended: runs(60_000, 10_000) }

let dataDir: string
let env: Record<string, string>
let console: Console
let workload: Workload

beforeAll(async () => {
  seed(seedOf('the load'))
  dataDir = putCluster(freshFolder())
  env = {
    ...WORKLOAD_ENV,
    PORT: String(await freePort()),
    TRIALS_PER_DAY: '100000',
    TRUSTED_PROXIES: '127.0.0.1 ::1',
  }
  console = await startConsole({ dataDir, env })
  workload = await Workload.create(console)
})
afterAll(() => console?.stop())

test('a console that is told to stop under load first answers every request in progress', async () => {
  const times = runs(2, 20)
  const took: number[] = []
  workload.start()
  for (let end = 0; end < times; end += 1) {
    await workload.untilAcknowledged(50)
    await pause(whole(500))
    const began = performance.now()
    expect(await console.stop()).toBe(0)
    took.push(performance.now() - began)
    console = await startConsole({ dataDir, env })
    expect(console.output()).toContain('Database started')
  }
  await workload.stop()
  say(`told to stop ${times} times: ended after ${range(took)}; ${workload.summary}`)
  expect(workload.tally.cut).toBe(0)
  expect(Math.max(...took)).toBeLessThan(WITHIN.ended)
  await withGuest(async (guest) => {
    expect(await workload.findLostAnswers(guest.superuser)).toEqual([])
    await workload.check(guest.server, 'boxtree_server')
  })
})

test('a crowd of calls at once over ten database connections is answered', async () => {
  const [crowds, size] = [runs(1, 20), runs(300, 1_000)]
  const statuses = new Map<number, number>()
  const took: number[] = []
  for (let crowd = 0; crowd < crowds; crowd += 1) {
    const began = performance.now()
    const answers = await Promise.all(Array.from({ length: size }, (_, index) => one(index)))
    took.push(performance.now() - began)
    for (const answer of answers) {
      if (answer === null || answer === 'cut') throw new Error('a call was not answered')
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
    expect((await fetch(`${console.url}/v1/health`)).status).toBe(200)
  }
  const seen = [...statuses].map(([status, count]) => `${count} times ${status}`)
  say(`${crowds} crowds of ${size} calls: ${seen.join(', ')}; a crowd was served in ${range(took)}`)
  // A call that would have to wait too long gets a 503.
  expect([...statuses.keys()].sort().filter((status) => status !== 503)).toEqual([200])
  // The console's own jobs are at work now and then.
  await expect.poll(busySessions).toEqual([])
})

/** Makes one of the crowd's calls: everyday ones, and some that hold a connection for longer. */
async function one(index: number): Promise<Answer | null | 'cut'> {
  const { superreseller, reseller, dealer } = workload.branches[
    index % workload.branches.length
  ] as Workload['branches'][number]
  // A proxy forwards the crowd from many addresses, because one address may have only 400 connections.
  const headers = { 'x-forwarded-for': `198.51.${index >> 8}.${index & 255}` }
  const make: Make = (person, call, input = {}) => person.attempt(call, input, { headers })
  switch (index % 10) {
    case 0:
      return make(dealer, calls.clients.list)
    case 1:
      return make(dealer, calls.clients.create, newClient({ ministra: true, stb_mac: null, months: 1 }))
    case 2:
      return make(reseller, calls.level.dealer.save, { name: dealer.name, credits: 1, transaction: 1 })
    case 3:
      return make(superreseller, calls.level.reseller.list)
    case 4:
      return make(dealer, calls.desk.dealer.transactions)
    case 5:
      return download(dealer, make)
    case 6:
      return make(reseller, calls.desk.reseller.transactions)
    case 7:
      // One change of a password in a crowd, because a second one at once is refused.
      if (index === 7) return make(reseller, calls.session.password, SAME_PASSWORD)
      return index % 100 === 7
        ? make(dealer, calls.session.login, loginOf(dealer))
        : make(dealer, calls.credits.dealer)
    case 8:
      return make(superreseller, calls.session.users)
    default:
      return make(dealer, calls.clients.create, newClient({ months: 0 }))
  }
}

type Make = (person: Person, call: Call, input?: object) => Promise<Answer | null | 'cut'>

const SAME_PASSWORD = { old_password: WORKLOAD_PASSWORD, password: WORKLOAD_PASSWORD }

function loginOf({ name }: Person) {
  return { login_username: name, login_password: WORKLOAD_PASSWORD }
}

async function download(dealer: Person, make: Make): Promise<Answer | null | 'cut'> {
  const asked = await make(dealer, calls.clients.export, { format: 'csv' })
  if (asked === null || asked === 'cut' || asked.status !== 200) return asked
  const { ticket } = asked.body as { ticket: string }
  return make(dealer, calls.files.download, { ticket })
}

/** Returns the console's database sessions that are not idle. */
function busySessions() {
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
