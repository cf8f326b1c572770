import { createHook } from 'node:async_hooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { startServer, type TestServer } from '../../test/support/server.ts'
import {
  type Answer,
  openWorld,
  PASSWORD,
  type Person,
  unique,
  type World,
} from '../../test/support/world.ts'

const { login } = calls.session

let world: World
let second: TestServer
beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.1' }
  world = await openWorld({ env })
  second = await startServer({ env, database: world.server.database, clock: () => world.clock.now })
})
afterAll(async () => {
  await second.close()
  await world.close()
})

let addresses = 0
/** An address that nobody has come from. */
function newAddress(): string {
  addresses += 1
  return `198.51.${addresses >> 8}.${addresses & 0xff}`
}

/** One try from an address, as the proxy tells it. */
function attempt(
  name: string,
  address: string,
  password = 'wrong-password',
  at: Person = world.nobody(),
): Promise<Answer> {
  const input = { login_username: name, login_password: password }
  return at.send(login, input, { headers: { 'x-forwarded-for': address } })
}

async function statuses(count: number, one: () => Promise<Answer>): Promise<number[]> {
  const answers: number[] = []
  for (let tried = 0; tried < count; tried += 1) answers.push((await one()).status)
  return answers
}

const wrong = (count: number): number[] => Array(count).fill(401)

async function somebody(): Promise<string> {
  return (await world.family()).dealer.name
}

describe('an account', () => {
  test.each([
    ['known', somebody],
    ['unknown', async () => unique()],
  ])('that is %s takes 10 wrong logins in 15 minutes, from wherever they come', async (_which, whose) => {
    const name = await whose()
    expect(await statuses(10, () => attempt(name, newAddress()))).toEqual(wrong(10))
    const refused = await attempt(name.toUpperCase(), newAddress())
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
    expect(refused.headers.get('retry-after')).toBe('900')
    expect(refused.body).toMatchObject({ message: 'Too many wrong logins. Please try again in 15 minutes.' })
  })

  test('is then closed to the right password too, until 15 minutes after the last that counted', async () => {
    const name = await somebody()
    await statuses(10, () => attempt(name, newAddress()))
    world.clock.pass({ minutes: 14, seconds: 59 })
    // A refused try does not count: it does not put the end off.
    expect((await attempt(name, newAddress())).headers.get('retry-after')).toBe('1')
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(429)
    world.clock.pass({ seconds: 1 })
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(200)
  })

  test('is not closed by 10 wrong logins over more than 15 minutes', async () => {
    const name = await somebody()
    await statuses(9, () => attempt(name, newAddress()))
    world.clock.pass({ minutes: 15 })
    expect(await statuses(9, () => attempt(name, newAddress()))).toEqual(wrong(9))
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(200)
  })

  test('is not closed by right logins', async () => {
    const name = await somebody()
    const address = newAddress()
    expect(await statuses(25, () => attempt(name, address, PASSWORD))).toEqual(Array(25).fill(200))
  })

  test('has one count over all servers', async () => {
    const name = await somebody()
    const other = world.at(second, world.nobody())
    await statuses(5, () => attempt(name, newAddress()))
    await statuses(5, () => attempt(name, newAddress(), undefined, other))
    expect((await attempt(name, newAddress())).status).toBe(429)
    expect((await attempt(name, newAddress(), undefined, other)).status).toBe(429)
  })

  test('lets no more than 10 of a burst through to the check, over two servers', async () => {
    const name = await somebody()
    const other = world.at(second, world.nobody())
    const burst = Array.from({ length: 30 }, (_, index) =>
      attempt(name, newAddress(), undefined, index % 2 ? other : world.nobody()),
    )
    const answers = (await Promise.all(burst)).map(({ status }) => status).sort()
    expect(answers).toEqual([...wrong(10), ...Array(20).fill(429)])
  })

  test('refuses nobody of a burst of right logins', async () => {
    const name = await somebody()
    const burst = Array.from({ length: 15 }, () => attempt(name, newAddress(), PASSWORD))
    expect((await Promise.all(burst)).map(({ status }) => status)).toEqual(Array(15).fill(200))
  })

  test('is one, however its name is written', async () => {
    const { reseller } = await world.family()
    const { name } = await world.child(reseller, 0, `i${unique()}`)
    // The database takes 'İ' for an 'i' in capitals.
    const dotted = name.replace('i', 'İ')
    expect((await attempt(dotted, newAddress(), PASSWORD)).status).toBe(200)
    await statuses(5, () => attempt(name, newAddress()))
    await statuses(5, () => attempt(dotted, newAddress()))
    expect((await attempt(name, newAddress())).status).toBe(429)
  })
})

describe('an address', () => {
  test('takes 20 wrong logins in 15 minutes, whatever the names', async () => {
    const address = newAddress()
    const name = await somebody()
    expect(await statuses(20, () => attempt(unique(), address))).toEqual(wrong(20))
    expect((await attempt(name, address, PASSWORD)).status).toBe(429)
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(200)
    world.clock.pass({ minutes: 15 })
    expect((await attempt(name, address, PASSWORD)).status).toBe(200)
  })

  test('that logged in to an account in the last 30 days meets only its own limit there', async () => {
    const name = await somebody()
    const home = newAddress()
    await attempt(name, home, PASSWORD)
    world.clock.pass({ days: 29, hours: 23 })
    await statuses(10, () => attempt(name, newAddress()))
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(429)
    expect(await statuses(19, () => attempt(name, home))).toEqual(wrong(19))
    expect((await attempt(name, home)).status).toBe(401)
    expect((await attempt(name, home, PASSWORD)).status).toBe(429)
  })

  test('meets the limit of the account again after 30 days', async () => {
    const name = await somebody()
    const home = newAddress()
    await attempt(name, home, PASSWORD)
    world.clock.pass({ days: 30 })
    await statuses(10, () => attempt(name, newAddress()))
    expect((await attempt(name, home, PASSWORD)).status).toBe(429)
  })

  test('is the nearest that no trusted proxy told of', async () => {
    const address = newAddress()
    // Whatever a client claims before its own address is not believed.
    await statuses(20, () => attempt(unique(), `${newAddress()}, ${address}`))
    expect((await attempt(unique(), address)).status).toBe(429)
    expect((await attempt(unique(), newAddress())).status).toBe(401)
  })

  test('is not believed from anybody where no proxy is trusted', async () => {
    const open = await openWorld()
    try {
      const tries = () => attempt(unique(), newAddress(), undefined, open.nobody())
      expect(await statuses(20, tries)).toEqual(wrong(20))
      expect((await tries()).status).toBe(429)
    } finally {
      await open.close()
    }
  })
})

test('a flood of logins holds no connection, and does not slow those who work', async () => {
  const { dealer } = await world.family()
  let answered = 0
  const flood = Array.from({ length: 40 }, async () => {
    await attempt(unique(), newAddress())
    answered += 1
  })
  // More than the pool has connections.
  for (let worked = 0; worked < 10; worked += 1) await dealer.call(calls.credits.dealer)
  expect(answered).toBeLessThan(30)
  await Promise.all(flood)
})

test('an unknown name costs the same work as a known one, which is one hash', async () => {
  const name = await somebody()
  const hashesOf = async (whose: string) => {
    let hashes = 0
    const hook = createHook({
      init(_id, type) {
        if (/argon2/i.test(type)) hashes += 1
      },
    }).enable()
    await attempt(whose, newAddress())
    hook.disable()
    return hashes
  }
  expect([await hashesOf(name), await hashesOf(unique())]).toEqual([1, 1])
})
