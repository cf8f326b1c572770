import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { withPool } from '../../server/postgres/pool.ts'
import { Box } from '../support/box.ts'
import { type Console, startConsole } from '../support/console.ts'
import { freshFolder } from '../support/folder.ts'
import { Pair } from '../support/pair.ts'
import { signIn, WORKLOAD_ENV, WORKLOAD_PASSWORD } from '../support/workload.ts'
import { newClient, type Person } from '../support/world.ts'

/** Two gateways on a primary with a synchronous standby. */
let pair: Pair
let gateways: Console[]

beforeAll(async () => {
  pair = await Pair.start([freshFolder(), freshFolder()])
  const env = { ...WORKLOAD_ENV, ...pair.env, SECRET_KEY: '0'.repeat(64) }
  gateways = []
  for (const dataDir of [freshFolder(), freshFolder()]) {
    gateways.push(await startConsole({ dataDir, env }))
  }
  await pair.join()
})
afterAll(async () => {
  for (const gateway of gateways ?? []) await gateway.stop()
  await pair?.stop()
})

/** After this long a gateway has read the changes of clients anew, in milliseconds. */
const READ_MS = 5_000

/** How many transactions of the primary its standby never hears of, more than the test makes after the promotion. */
const LOST = 5_000

test('while a standby is promoted no box is out that should be in, and none stays in that should be out', async () => {
  const [here, there] = gateways.map(({ url }) => ({ url, boxUrl: url })) as [Gateway, Gateway]
  const dealer = await aDealer(here)
  const names = ['stays', 'expires', 'is off', 'goes off', 'comes on']
  const boxes = new Map<string, Box>()
  const logins = new Map<string, string>()
  for (const name of names) {
    const client = newClient({ months: 1 })
    await dealer.call(calls.clients.create, client)
    logins.set(name, client.login)
    boxes.set(name, new Box(here, { mac: client.stb_mac ?? '', told: { sn: 'SN-1' } }))
  }
  const boxOf = (name: string) => boxes.get(name) as Box
  const loginOf = (name: string) => logins.get(name) ?? ''
  const isIn = async (name: string) => {
    const box = boxOf(name)
    return Promise.all([here, there].map((gateway) => box.at(gateway).poll()))
  }
  const switchTo = (name: string, status: boolean) => untilDone(dealer, { login: loginOf(name), status })

  for (const name of names) expect(await boxOf(name).signIn(), name).toBe(0)
  for (const name of names) expect(await isIn(name), name).toEqual([true, true])
  await switchTo('comes on', false)
  await switchTo('is off', false)
  const ends = Date.now() + 30_000
  await withPool(pair.at('holder', 'shop'), { max: 1, isLong: true }, async (sql) => {
    await sql`update service set expiry = ${new Date(ends)} where name = ${loginOf('expires')}`
  })
  await pause(READ_MS)
  expect([await isIn('is off'), await isIn('expires')]).toEqual([
    [false, false],
    [true, true],
  ])

  // A box that stays in asks all the time, now this gateway and now that one.
  const stopping = new AbortController()
  const asking = (async () => {
    let asked = 0
    for (; !stopping.signal.aborted; asked += 1) {
      expect(await isIn('stays')).toEqual([true, true])
      await pause(50)
    }
    return asked
  })()

  let promoted = ''
  try {
    await pair.cutOff()
    await withPool(pair.at('postgres', 'shop'), { max: 1, isLong: true }, async (sql) => {
      await sql`set synchronous_commit = off`
      await sql.unsafe(
        `do $$ begin for i in 1..${LOST} loop perform pg_current_xact_id(); commit; end loop; end $$`,
      )
    })
    // Both gateways read the log with the numbers of transactions that are lost now.
    await pause(READ_MS)
    expect(await isIn('stays')).toEqual([true, true])
    await pair.promote('killed')
    promoted = new Date().toISOString()

    await switchTo('goes off', false)
    await switchTo('comes on', true)
    await pause(Math.max(READ_MS, ends - Date.now()))
    // The pools of both may first have to find the new primary.
    await expect.poll(() => isIn('goes off'), { timeout: 15_000 }).toEqual([false, false])
    expect(await isIn('is off')).toEqual([false, false])
    expect(await isIn('expires')).toEqual([false, false])
    expect(await boxOf('comes on').signIn()).toBe(0)
    expect(await isIn('comes on')).toEqual([true, true])
  } finally {
    stopping.abort()
  }
  expect(await asking).toBeGreaterThan(10)
  expect(await isIn('stays')).toEqual([true, true])
  const seen = async () => {
    const { last_active } = await dealer.call(calls.clients.detail, { name: loginOf('stays') })
    return last_active !== null && last_active > promoted
  }
  await expect.poll(seen, { timeout: 60_000, interval: 500 }).toBe(true)
})

type Gateway = { url: string; boxUrl: string }

async function aDealer(at: Gateway): Promise<Person> {
  let above = await signIn(at, 'admin')
  for (const level of ['superreseller', 'reseller', 'dealer'] as const) {
    await above.call(calls.level[level].create, { login: level, password: WORKLOAD_PASSWORD })
    await above.call(calls.level[level].save, { name: level, credits: 50, transaction: 0 })
    above = await signIn(at, level)
  }
  return above
}

/** Saves a client, and again until the database is there. */
async function untilDone(dealer: Person, input: { login: string; status: boolean }): Promise<void> {
  for (;;) {
    const answer = await dealer.attempt(calls.clients.save, input)
    if (answer !== null && answer !== 'cut' && answer.status === 200) return
    await pause(100)
  }
}
