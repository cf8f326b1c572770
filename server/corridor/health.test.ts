import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { startServer } from '../../test/support/server.ts'
import { suiteWorld } from '../../test/support/world.ts'

const world = await suiteWorld({ connections: 10 })

const WRITERS = 16

test('a server that was told to stop is alive and not ready', async () => {
  const leaving = new AbortController()
  const { server } = world
  const other = await startServer({ database: server.database, leaving: leaving.signal })
  const ask = async (path: string) => (await fetch(`${other.url}/v1/${path}`)).status
  try {
    expect([await ask('live'), await ask('ready'), await ask('health')]).toEqual([200, 200, 200])
    leaving.abort()
    expect([await ask('live'), await ask('ready'), await ask('health')]).toEqual([200, 503, 200])
  } finally {
    await other.close()
  }
})

test('many who ask share one commit in five seconds', async () => {
  const { sql, url, close } = await startServer({ database: world.server.database })
  const commits: string[] = []
  sql.options.debug = (_connection, text) => {
    if (text.includes('pg_logical_emit_message')) commits.push(text)
  }
  const began = performance.now()
  try {
    for (const path of ['ready', 'health', 'ready']) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/v1/${path}`)))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    }
    expect(commits.length).toBeGreaterThan(0)
    expect(commits.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 5_000))
  } finally {
    await close()
  }
})

test('changes that wait leave connections to those who look', async () => {
  const { reseller, dealer: first } = await world.family({ credits: 3 })
  const dealers = [first]
  while (dealers.length < WRITERS) dealers.push(await world.child(reseller))
  const release = await holdOpen(world.server.ownerSql, (sql) => sql`lock table client in share mode`)
  let isAnswered = false
  const waiting = dealers.map((dealer, at) =>
    dealer
      .send(calls.clients.create, {
        login: `waits-${at}`,
        password: 'secret-tv',
        ministra: true,
        package_selection: 1,
        months: 0,
      })
      .finally(() => {
        isAnswered = true
      }),
  )
  try {
    await somebodyWaits(world.server.sql, 5)
    expect((await first.call(calls.clients.list, {})).data).toEqual([])
    expect(await (await fetch(`${world.server.url}/v1/ready`)).json()).toEqual({ status: 'OK', writes: true })
    expect(isAnswered).toBe(false)
  } finally {
    await release()
  }
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(dealers.map(() => 200))
})
