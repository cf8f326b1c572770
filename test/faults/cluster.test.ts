import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { begin, change } from '../../server/postgres/begin.ts'
import { isLost } from '../../server/postgres/errors.ts'
import { openPool, type Sql } from '../../server/postgres/pool.ts'
import { type Console, startConsole } from '../support/console.ts'
import { freshFolder } from '../support/folder.ts'
import { Pair } from '../support/pair.ts'
import { signIn, WORKLOAD_ENV, WORKLOAD_PASSWORD } from '../support/workload.ts'
import { newClient, Person } from '../support/world.ts'

const run = promisify(execFile)

let pair: Pair

beforeAll(async () => {
  pair = await Pair.start([freshFolder(), freshFolder()])
  const sql = openPool(pair.at('holder', 'shop'), { max: 1 })
  await sql`create schema notes`
  await sql`create table notes.note (word text)`.finally(() => sql.end())
})
afterAll(() => pair?.stop())
beforeEach(async () => {
  if (!pair.hasStandby) await pair.join()
})

test('nothing runs on a standby while no host is the primary, and writes succeed as soon as it is promoted', async () => {
  const sql = openPool(pair.standbyFirst('holder', 'shop'), { max: 4 })
  try {
    const promote = await pair.losePrimary()
    const readers = Array.from({ length: 8 }, () => sql`select 1`.catch((error: unknown) => error))
    for (const outcome of await Promise.all(readers)) expect(isLost(outcome)).toBe(true)
    await promote()
    await Promise.all(Array.from({ length: 8 }, () => write(sql)))
  } finally {
    await sql.end({ timeout: 1 })
  }
})

test('a connection to a standby is not kept once its address leads to the primary', async () => {
  const { primary, standby } = pair.ports
  const address = await openAddress(standby)
  const sql = openPool(pair.at('holder', 'shop').replace(/:\d+\/shop/, `:${address.port}/shop`), { max: 4 })
  try {
    await expect(write(sql)).rejects.toSatisfy(isLost)
    address.leadTo(primary)
    await Promise.all(Array.from({ length: 8 }, () => write(sql)))
  } finally {
    await sql.end({ timeout: 1 })
    await address.close()
  }
})

test('a pool tells of each connection that it makes, and of none that searches for the primary', async () => {
  let count = 0
  const sql = openPool(pair.standbyFirst('holder', 'shop'), {
    max: 3,
    onOpen: () => {
      count += 1
    },
  })
  await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.1)`))
  await sql.end()
  expect(count).toBe(3)
})

test.each([
  [
    'a transaction',
    (sql: Sql) =>
      begin(sql, async (sql) => {
        await sql`set transaction read only`
        await sql`insert into notes.note values ('refused')`
      }),
  ],
  [
    'a statement of its own',
    async (sql: Sql) => {
      await sql`set default_transaction_read_only = on`
      await change(sql, () => sql`insert into notes.note values ('refused')`)
    },
  ],
])('a connection that refuses the change of %s is closed and replaced', async (_what, insert) => {
  const sql = openPool(pair.at('holder', 'shop'), { max: 1 })
  const connection = async (sql: Sql) =>
    (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid
  try {
    const before = await connection(sql)
    await expect(insert(sql)).rejects.toMatchObject({ code: '25006' })
    expect(await begin(sql, connection)).not.toBe(before)
  } finally {
    await sql.end({ timeout: 1 })
  }
})

describe('a console on a primary with a synchronous standby', () => {
  let console: Console
  const dataDir = freshFolder()
  beforeAll(async () => {
    if (!pair.hasStandby) await pair.join()
    console = await startConsole({ dataDir, env: { ...WORKLOAD_ENV, ...pair.env } })
  })
  afterAll(() => console?.stop())

  test('acknowledges no change whose wait for the standby was cancelled, until the standby has it', async () => {
    const admin = await signIn(console)
    await admin.call(calls.level.superreseller.create, { login: 'north', password: WORKLOAD_PASSWORD })
    const give = () =>
      admin.attempt(
        calls.level.superreseller.save,
        { name: 'north', credits: 5, transaction: 0 },
        { key: 'once' },
      )
    const resume = await pair.suspend()
    const given = give()
    await pair.cancelWait()
    expect(await given).toMatchObject({ status: 503 })
    expect(await give()).toMatchObject({ status: 503 })
    resume()
    let answer = await give()
    for (
      let tries = 0;
      tries < 10 && answer !== null && answer !== 'cut' && answer.status === 503;
      tries += 1
    ) {
      answer = await give()
    }
    expect(answer).toMatchObject({ status: 200 })
    const sql = openPool(pair.at('console', 'shop'), { max: 1 })
    expect(await sql`select credits from transfer where login = 'north'`.finally(() => sql.end())).toEqual([
      { credits: 5 },
    ])
  })

  test('stays ready for those who look while no change can be committed, and says so', async () => {
    const admin = await signIn(console)
    const north = await signIn(console, 'north')
    const ask = async () => (await fetch(`${console.url}/v1/ready`)).json()
    await expect.poll(ask, { timeout: 20_000 }).toEqual({ status: 'OK', writes: true })
    const resume = await pair.suspend()
    const began = performance.now()
    const waiting = Array.from({ length: 16 }, (_, at) =>
      admin.attempt(
        calls.level.superreseller.save,
        { name: 'north', credits: 1, transaction: 0 },
        { key: `waits-${at}` },
      ),
    )
    await expect.poll(ask, { timeout: 20_000 }).toEqual({ status: 'OK', writes: false })
    let isAnswered = false
    Promise.race(waiting).then(() => {
      isAnswered = true
    })
    expect(await north.attempt(calls.session.user)).toMatchObject({ status: 200 })
    // They are given up after ten seconds.
    if (performance.now() - began < 9_000) expect(isAnswered).toBe(false)
    resume()
    await Promise.all(waiting)
    await expect.poll(ask, { timeout: 20_000 }).toEqual({ status: 'OK', writes: true })
  })

  test('stays ready for those who look while many dealers renew, and strangers sign in, again and again', async () => {
    const admin = await signIn(console)
    const north = await signIn(console, 'north')
    const dealers = await dealersOf(console, admin, north, 12)
    const ask = async () => (await fetch(`${console.url}/v1/ready`)).json()
    await expect.poll(ask, { timeout: 20_000 }).toEqual({ status: 'OK', writes: true })
    const resume = await pair.suspend()
    const trying = [
      ...dealers.map(({ dealer, client }) => untilDone(dealer, client)),
      ...['nobody', 'somebody', 'anybody'].map((name) => untilRefused(console, name)),
    ]
    // Each of them has given up twice by then, and PostgreSQL still waits for what they have sent.
    await pause(25_000)
    expect(await north.attempt(calls.session.user)).toMatchObject({ status: 200 })
    expect(await ask()).toEqual({ status: 'OK', writes: false })
    resume()
    await Promise.all(trying)
    const sql = openPool(pair.at('console', 'shop'), { max: 1 })
    const renewed = sql`select from transfer where type = 'USED'`
    expect(await renewed.finally(() => sql.end())).toHaveLength(dealers.length)
  })

  test('is backed up from its standby alone', async () => {
    const { primary, standby } = pair.ports
    const owner = pair.at('holder', 'shop').replace(`:${primary}/`, `:${standby}/`)
    const folder = join(freshFolder(), 'backup')
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: owner }
    const command = join(import.meta.dirname, '../../server/commands/backup.ts')
    const { stdout } = await run(process.execPath, [command, folder], { env })
    expect(stdout).toContain(`The backup is in ${folder}`)
    const restored = join(freshFolder(), 'data')
    const restore = join(import.meta.dirname, '../../server/commands/restore.ts')
    const result = await run(process.execPath, [restore, folder], {
      env: { PATH: process.env.PATH, DATA_DIR: restored },
    })
    expect(result.stdout).toContain('The ledger is sound.\nRestored as it was at ')
  })
})

function write(sql: Sql): Promise<unknown> {
  return begin(sql, (sql) => sql`insert into notes.note values ('written')`)
}

/** Makes dealers below a superreseller, each with a credit and a client. */
async function dealersOf(console: { url: string }, admin: Person, north: Person, count: number) {
  const { superreseller, reseller, dealer } = calls.level
  await admin.call(superreseller.save, { name: north.name, credits: count, transaction: 0 })
  await north.call(reseller.create, { login: 'city', password: WORKLOAD_PASSWORD })
  await north.call(reseller.save, { name: 'city', credits: count, transaction: 0 })
  const city = await signIn(console, 'city')
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const name = `corner-${at}`
      await city.call(dealer.create, { login: name, password: WORKLOAD_PASSWORD })
      await city.call(dealer.save, { name, credits: 1, transaction: 0 })
      const corner = await signIn(console, name)
      const client = newClient()
      await corner.call(calls.clients.create, client)
      return { dealer: corner, client: client.login }
    }),
  )
}

/** Renews a client, again whenever the console could not. */
async function untilDone(dealer: Person, client: string): Promise<void> {
  const renew = () => dealer.attempt(calls.clients.renew, { name: client, months: 1 }, { key: client })
  let answer = await renew()
  while (answer === null || answer === 'cut' || answer.status === 503) answer = await renew()
  expect(answer).toMatchObject({ status: 200 })
}

/** Signs in with a name that no account has, again whenever the console could not tell. */
async function untilRefused(console: { url: string }, name: string): Promise<void> {
  const nobody = new Person(console, { id: 0, name: '', role: 'dealer', token: '' })
  const signIn = () => nobody.attempt(calls.session.login, { login_username: name, login_password: name })
  let answer = await signIn()
  while (answer === null || answer === 'cut' || answer.status === 503) answer = await signIn()
  expect(answer).toMatchObject({ body: { code: 'wrong_login' } })
}

/** Opens an address that leads to one host at a time, like that of a load balancer. */
async function openAddress(first: number) {
  let target = first
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    const line = connect(target, '127.0.0.1')
    for (const end of [socket, line]) {
      open.add(end)
      end.on('error', () => {}).on('close', () => open.delete(end))
    }
    socket.pipe(line).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  return {
    port: typeof at === 'object' && at ? at.port : 0,
    leadTo(port: number) {
      target = port
    },
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}
