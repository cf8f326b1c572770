import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { openPool } from '../../server/postgres/pool.ts'
import { runs } from '../laws/runs.ts'
import { type Console, startConsole } from '../support/console.ts'
import { type External, startExternal } from '../support/external.ts'
import { freshFolder } from '../support/folder.ts'
import { freePort } from '../support/port.ts'
import { WORKLOAD_ENV, WORKLOAD_PASSWORD } from '../support/workload.ts'
import { Person } from '../support/world.ts'

const WORKERS = 8
const CHECK_MS = 100

let database: External
let servers: Rolled[]

/** One of two servers behind a load balancer, which sends requests to those that say they are ready. */
type Rolled = { start: () => Promise<Console>; console: Console; isReady: boolean }

beforeAll(async () => {
  database = await startExternal(freshFolder())
  servers = []
  for (const dataDir of [freshFolder(), freshFolder()]) {
    const env = {
      ...WORKLOAD_ENV,
      ...database.env,
      PORT: String(await freePort()),
      SECRET_KEY: '0'.repeat(64),
      // Long enough for the load balancer to look several times, however slow the machine is.
      DRAIN_SECONDS: '4',
    }
    const start = () => startConsole({ dataDir, env })
    servers.push({ start, console: await start(), isReady: true })
  }
})
afterAll(async () => {
  for (const { console } of servers ?? []) await console.stop()
  await database?.stop()
})

test('no request fails while both servers are restarted one after the other', async () => {
  const { token, role } = await at(servers[0], '').call(calls.session.login, {
    login_username: 'admin',
    login_password: WORKLOAD_PASSWORD,
  })
  await at(servers[0], token).call(calls.level.superreseller.create, {
    login: 'north',
    password: WORKLOAD_PASSWORD,
  })
  expect(role).toBe('admin')
  const tally = { done: 0, failed: 0 }
  const stopping = new AbortController()
  const checking = check(stopping.signal)
  const working = Array.from({ length: WORKERS }, async () => {
    while (!stopping.signal.aborted) {
      const answer = await at(choose(), token).attempt(calls.level.superreseller.save, {
        name: 'north',
        credits: 1,
        transaction: 0,
      })
      const isDone = answer !== null && answer !== 'cut' && answer.status === 200
      tally[isDone ? 'done' : 'failed'] += 1
    }
  })
  for (let round = 0; round < runs(1, 10); round += 1) {
    for (const server of servers) {
      await pause(500)
      expect(await server.console.stop()).toBe(0)
      server.console = await server.start()
      await expect.poll(() => server.isReady, { timeout: 30_000 }).toBe(true)
    }
  }
  stopping.abort()
  await Promise.all([checking, ...working])
  expect(tally).toEqual({ done: expect.any(Number), failed: 0 })
  expect(tally.done).toBeGreaterThan(WORKERS)
  const sql = openPool(database.at('holder', 'shop'), { max: 1 })
  const [given] = await sql`
    select sum(credits) as credits from transfer where login = 'north'`.finally(() => sql.end())
  expect(given).toEqual({ credits: tally.done })
})

function at(server: Rolled | undefined, token: string): Person {
  if (!server) throw new Error('No server is ready')
  return new Person(server.console, { id: 0, name: 'admin', role: 'admin', token })
}

function choose(): Rolled | undefined {
  const ready = servers.filter(({ isReady }) => isReady)
  return ready[Math.floor(Math.random() * ready.length)]
}

/** Asks each server again and again whether it is ready, as a load balancer does. */
async function check(signal: AbortSignal): Promise<void> {
  const checkOne = async (server: Rolled) => {
    while (!signal.aborted) {
      const answer = await fetch(`${server.console.url}/v1/ready`, {
        headers: { connection: 'close' },
      }).catch(() => null)
      server.isReady = answer?.status === 200
      await pause(CHECK_MS)
    }
  }
  await Promise.all(servers.map(checkOne))
}
