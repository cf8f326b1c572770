import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pick, seed, whole } from '../../server/commands/demo/dice.ts'
import { begin } from '../../server/postgres/begin.ts'
import { type Embedded, startEmbedded } from '../../server/postgres/embedded.ts'
import { openPool, type Sql } from '../../server/postgres/pool.ts'
import { runs, seedOf } from '../laws/runs.ts'
import { type Console, startConsole } from '../support/console.ts'
import { CREW_ENV, Crew, range, seconds } from '../support/crew.ts'
import { freePort } from '../support/external.ts'
import { freshFolder } from '../support/folder.ts'

/** In milliseconds; a limit of time is held where the machine has nothing else to do. */
const WITHIN = { ready: runs(60_000, 5_000), refused: runs(60_000, 5_000) }

let dataDir: string
let env: Record<string, string>
let shop: Console
let crew: Crew
/** Looks on as the database's superuser. */
let guest: Embedded
let sql: Sql

beforeAll(async () => {
  seed(seedOf('what is killed'))
  dataDir = freshFolder()
  env = { ...CREW_ENV, PORT: String(await freePort()) }
  shop = await startConsole({ dataDir, env })
  guest = await startEmbedded({ dataDir, say: () => {}, guest: true })
  sql = openPool(guest.superuser, { max: 1 })
  crew = await Crew.hire(shop)
})
afterAll(async () => {
  await sql?.end({ timeout: 1 })
  await guest?.stop()
  await shop?.stop()
})

test(`the console, killed under 32 workers, is ready again on the database that it left`, async () => {
  const times = runs(3, 50)
  const took: number[] = []
  const database = postmaster()
  crew.start()
  for (let kill = 0; kill < times; kill += 1) {
    await crew.untilDone(20)
    await pause(whole(700))
    await shop.stop('SIGKILL')
    const began = performance.now()
    shop = await startConsole({ dataDir, env })
    took.push(performance.now() - began)
    expect(shop.output()).toContain('Database found running')
    expect(postmaster()).toBe(database)
  }
  await crew.stop()
  await crew.prove(guest.server, 'boxtree_server')
  const doubted = await crew.findUnanswered(guest.superuser)
  say(
    `the console killed ${times} times: ready again after ${range(took)}; ${crew.summary}; ` +
      `${doubted.length} were done before anybody was told`,
  )
  expect(Math.max(...took)).toBeLessThan(WITHIN.ready)
})

const DEATHS: { what: string; times: number; kill: () => Promise<void> }[] = [
  {
    what: 'a session of the database ended',
    times: runs(1, 50),
    kill: async () => {
      const { pid } = await anySession()
      await begin(sql, (sql) => sql`select pg_terminate_backend(${pid})`)
    },
  },
  {
    what: 'a process of the database killed',
    times: runs(1, 50),
    kill: async () => {
      const { pid } = await anySession()
      process.kill(pid, 'SIGKILL')
    },
  },
  {
    what: 'the whole database killed',
    times: runs(1, 50),
    kill: async () => {
      for (const pid of [postmaster(), ...(await processes())]) kill(pid)
    },
  },
]

test.each(DEATHS)('$what: the console recovers by itself', async ({ what, times, kill }) => {
  const crewBefore = { ...crew.tally }
  const watch = watchHealth(shop.url)
  crew.start()
  for (let death = 0; death < times; death += 1) {
    await crew.untilDone(20)
    await pause(whole(500))
    await kill()
  }
  await crew.untilDone(20)
  await crew.stop()
  const { slowest, statuses } = await watch.stop()
  await crew.prove(guest.server, 'boxtree_server')
  say(`${what} ${times} times: health ${statuses}, the slowest after ${seconds(slowest)}; ${crew.summary}`)
  expect(crew.done).toBeGreaterThan(crewBefore.atOnce + crewBefore.askedAgain)
  expect(Math.max(slowest, crew.slowestRefusal)).toBeLessThan(WITHIN.refused)
})

test('after an orderly end no process remains', async () => {
  const pids = [postmaster(), ...(await processes())]
  expect(pids.length).toBeGreaterThan(5)
  await sql.end({ timeout: 1 })
  expect(await shop.stop()).toBe(0)
  expect(pids.filter(isRunning)).toEqual([])
})

/** Asks for the health without a pause: nothing but 200 and 503 may come, and no silence. */
function watchHealth(url: string) {
  const seen: Record<number, number> = {}
  let slowest = 0
  let over = false
  const looking = look()
  // Whatever it meets is heard at the end.
  looking.catch(() => {})
  return {
    async stop() {
      over = true
      await looking
      const statuses = Object.entries(seen).map(([status, count]) => `${count} times ${status}`)
      return { slowest, statuses: statuses.join(', ') }
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

/** A session in which the console works. */
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

function postmaster(): number {
  return Number(readFileSync(join(dataDir, 'postgres-18', 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** One that has ended counts as gone, also where nobody has asked yet how it ended. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** A process that went by itself meanwhile is as dead as it should be. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
