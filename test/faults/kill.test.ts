import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pick, seed, whole } from '../../server/commands/demo/dice.ts'
import { begin } from '../../server/postgres/begin.ts'
import { type Embedded, startEmbedded } from '../../server/postgres/embedded.ts'
import { openPool, type Sql } from '../../server/postgres/pool.ts'
import { runs, seedOf } from '../laws/runs.ts'
import { type Console, startConsole } from '../support/console.ts'
import { freshFolder, putCluster } from '../support/folder.ts'
import { freePort } from '../support/port.ts'
import { isRunning, postmasterOf } from '../support/processes.ts'
import { range, seconds, WORKLOAD_ENV, Workload } from '../support/workload.ts'

/** In milliseconds; the strict limits apply in `npm run faults`. */
const WITHIN = { ready: runs(60_000, 5_000), refused: runs(60_000, 5_000) }

let dataDir: string
let env: Record<string, string>
let console: Console
let workload: Workload
/** The connection of an observer, as the database's superuser. */
let guest: Embedded
let sql: Sql

beforeAll(async () => {
  seed(seedOf('kills'))
  dataDir = putCluster(freshFolder())
  env = { ...WORKLOAD_ENV, PORT: String(await freePort()) }
  console = await startConsole({ dataDir, env })
  guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
  sql = openPool(guest.superuser, { max: 1 })
  workload = await Workload.create(console)
})
afterAll(async () => {
  await sql?.end({ timeout: 1 })
  await guest?.stop()
  await console?.stop()
})

test('a console killed under load starts again on the database that it left running', async () => {
  const times = runs(3, 50)
  const took: number[] = []
  const database = postmasterOf(dataDir)
  workload.start()
  for (let kill = 0; kill < times; kill += 1) {
    await workload.untilAcknowledged(20)
    await pause(whole(700))
    await console.stop('SIGKILL')
    const began = performance.now()
    console = await startConsole({ dataDir, env })
    took.push(performance.now() - began)
    expect(console.output()).toContain('Database found running')
    expect(postmasterOf(dataDir)).toBe(database)
  }
  await workload.stop()
  await workload.check(guest.server, 'boxtree_server')
  const lost = await workload.findLostAnswers(guest.superuser)
  say(
    `the console was killed ${times} times: ready again after ${range(took)}; ${workload.summary}; ` +
      `${lost.length} were committed before the answered try`,
  )
  expect(Math.max(...took)).toBeLessThan(WITHIN.ready)
})

const DEATHS: { what: string; times: number; kill: () => Promise<void> }[] = [
  {
    what: 'a database session is ended',
    times: runs(1, 50),
    kill: async () => {
      const { pid } = await anySession()
      await begin(sql, (sql) => sql`select pg_terminate_backend(${pid})`)
    },
  },
  {
    what: 'a database process is killed',
    times: runs(1, 50),
    kill: async () => {
      const { pid } = await anySession()
      kill(pid)
    },
  },
  {
    what: 'the whole database is killed',
    times: runs(1, 50),
    kill: async () => {
      for (const pid of [postmasterOf(dataDir), ...(await processes())]) kill(pid)
    },
  },
]

test.each(DEATHS)('when $what, the console recovers by itself', async ({ what, times, kill }) => {
  const before = workload.acknowledged
  const watch = watchHealth(console.url)
  workload.start()
  for (let death = 0; death < times; death += 1) {
    await workload.untilAcknowledged(20)
    await pause(whole(500))
    await kill()
  }
  await workload.untilAcknowledged(20)
  await workload.stop()
  const { slowest, statuses, lateness } = await watch.stop()
  await workload.check(guest.server, 'boxtree_server')
  say(
    `${what} ${times} times: health ${statuses}, the slowest after ${seconds(slowest)}, a timer at most ${seconds(lateness)} late; ${workload.summary}`,
  )
  expect(workload.acknowledged).toBeGreaterThan(before)
  // This process does little: as late as its timer was, others of the machine were as well.
  expect(Math.max(slowest, workload.slowestRefusal)).toBeLessThan(WITHIN.refused + lateness)
})

test('a console that is told to stop leaves no process behind', async () => {
  const pids = [postmasterOf(dataDir), ...(await processes())]
  expect(pids.length).toBeGreaterThan(5)
  await sql.end({ timeout: 1 })
  expect(await console.stop()).toBe(0)
  expect(pids.filter(isRunning)).toEqual([])
})

/** Calls /v1/health without a pause. Every answer must be 200 or 503, and none may take a minute. */
function watchHealth(url: string) {
  const seen: Record<number, number> = {}
  let slowest = 0
  let over = false
  const lateness = monitorEventLoopDelay({ resolution: 20 })
  lateness.enable()
  const looking = look()
  // `stop` reports its failure.
  looking.catch(() => {})
  return {
    async stop() {
      over = true
      await looking
      const statuses = Object.entries(seen).map(([status, count]) => `${count} times ${status}`)
      lateness.disable()
      return { slowest, statuses: statuses.join(', '), lateness: lateness.max / 1e6 }
    },
  }

  async function look(): Promise<void> {
    while (!over) {
      const began = performance.now()
      const { status } = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(60_000) })
      slowest = Math.max(slowest, performance.now() - began)
      expect([200, 503]).toContain(status)
      seen[status] = (seen[status] ?? 0) + 1
      await pause(20)
    }
  }
}

/** Picks one of the console's database sessions. */
async function anySession(): Promise<{ pid: number }> {
  const sessions = await begin(
    sql,
    (sql) => sql<{ pid: number }[]>`select pid from pg_stat_activity where usename = 'boxtree_server'`,
  )
  return pick(sessions)
}

async function processes(): Promise<number[]> {
  const rows = await begin(sql, (sql) => sql<{ pid: number }[]>`select pid from pg_stat_activity`)
  return rows.map(({ pid }) => pid)
}

/** Kills a process, which may have ended by itself. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
