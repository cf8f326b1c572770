import { createHook } from 'node:async_hooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { solved } from '../../test/support/captcha.ts'
import { holdOpen, waitersOf } from '../../test/support/hold.ts'
import {
  type Answer,
  openWorld,
  PASSWORD,
  type Person,
  suiteWorld,
  unique,
  type World,
} from '../../test/support/world.ts'

const { login } = calls.session

const env = { TRUSTED_PROXIES: '127.0.0.1' }
const world = await suiteWorld({ env })
const second = await world.another({ env })
afterAll(() => second.close())

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

/**
 * Inserts wrong logins as the server records them, because each by a call costs a hash: they were made now, or one each
 * second until now. What a limit allows is tried with real ones once, and the last one before a limit is always real.
 */
async function plantWrong(
  count: number,
  {
    name = 'planted',
    address = 'planted',
    seconds = 0,
  }: { name?: string; address?: string; seconds?: 0 | 1 },
  { server, clock }: World = world,
): Promise<void> {
  await server.sql`
    insert into login_try (name, address, tried, succeeded)
    select ${name}, ${address}, ${clock.now}::timestamptz - n * ${seconds}::int * interval '1 s', false
    from generate_series(0, ${count - 1}::int) n`
}

const wrong = (count: number): number[] => Array(count).fill(401)

async function somebody(): Promise<string> {
  return (await world.family()).dealer.name
}

describe('without a proof of work, an account', () => {
  test.each([
    ['known', somebody],
    ['unknown', async () => unique()],
  ])(
    'that is %s allows 10 wrong logins in 15 minutes, whatever their addresses are',
    async (_which, whose) => {
      const name = await whose()
      expect(await statuses(10, () => attempt(name, newAddress()))).toEqual(wrong(10))
      const refused = await attempt(name.toUpperCase(), newAddress())
      expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
      expect(refused.headers.get('retry-after')).toBe('900')
      expect(refused.body).toMatchObject({
        message: 'Too many wrong logins. Please try again in 15 minutes.',
      })
    },
  )

  test('then refuses the right password too, until 15 minutes after the last wrong login', async () => {
    const name = await somebody()
    await plantWrong(9, { name })
    await attempt(name, newAddress())
    world.clock.pass({ minutes: 14, seconds: 59 })
    // A refused try does not count: it does not put the end off.
    expect((await attempt(name, newAddress())).headers.get('retry-after')).toBe('1')
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(429)
    world.clock.pass({ seconds: 1 })
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(200)
  })

  test('does not close after 10 wrong logins over more than 15 minutes', async () => {
    const name = await somebody()
    await plantWrong(8, { name })
    expect((await attempt(name, newAddress())).status).toBe(401)
    world.clock.pass({ minutes: 15 })
    await plantWrong(8, { name })
    expect((await attempt(name, newAddress())).status).toBe(401)
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(200)
  })

  test('is not closed by wrong logins that are dated ahead, as a clock leaves them that was wrong', async () => {
    const [name, address] = [await somebody(), newAddress()]
    world.clock.pass({ hours: 3 })
    await plantWrong(20, { name, address })
    world.clock.pass({ hours: -3 })
    expect((await attempt(name, address)).status).toBe(401)
    expect((await attempt(name, address, PASSWORD)).status).toBe(200)
  })

  test('does not close after correct logins', async () => {
    const name = await somebody()
    const address = newAddress()
    expect(await statuses(25, () => attempt(name, address, PASSWORD))).toEqual(Array(25).fill(200))
  })

  test('has one count of wrong logins for all servers', async () => {
    const name = await somebody()
    const other = world.at(second, world.nobody())
    await plantWrong(8, { name })
    await attempt(name, newAddress())
    await attempt(name, newAddress(), undefined, other)
    expect((await attempt(name, newAddress())).status).toBe(429)
    expect((await attempt(name, newAddress(), undefined, other)).status).toBe(429)
  })

  test('has at most 10 passwords of a burst checked, over two servers', async () => {
    const name = await somebody()
    const other = world.at(second, world.nobody())
    const burst = Array.from({ length: 30 }, (_, index) =>
      attempt(name, newAddress(), undefined, index % 2 ? other : world.nobody()),
    )
    const answers = (await Promise.all(burst)).map(({ status }) => status).sort()
    expect(answers).toEqual([...wrong(10), ...Array(20).fill(429)])
  })

  test('accepts a burst of correct logins', async () => {
    const name = await somebody()
    const burst = Array.from({ length: 15 }, () => attempt(name, newAddress(), PASSWORD))
    expect((await Promise.all(burst)).map(({ status }) => status)).toEqual(Array(15).fill(200))
  })

  test('has one count, however its name is written', async () => {
    const { reseller } = await world.family()
    const { name } = await world.child(reseller, 0, `i${unique()}`)
    // The database takes 'İ' for an 'i' in capitals.
    const dotted = name.replace('i', 'İ')
    expect((await attempt(dotted, newAddress(), PASSWORD)).status).toBe(200)
    await plantWrong(8, { name })
    await attempt(name, newAddress())
    await attempt(dotted, newAddress())
    expect((await attempt(name, newAddress())).status).toBe(429)
  })
})

describe('the address of a login', () => {
  test('allows 20 wrong logins in 15 minutes, whatever their names are', async () => {
    const address = newAddress()
    const name = await somebody()
    expect(await statuses(20, () => attempt(unique(), address))).toEqual(wrong(20))
    expect((await attempt(name, address, PASSWORD)).status).toBe(429)
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(200)
    world.clock.pass({ minutes: 15 })
    expect((await attempt(name, address, PASSWORD)).status).toBe(200)
  })

  test('has only its own limit at an account that it logged in to in the last 30 days', async () => {
    const name = await somebody()
    const home = newAddress()
    await attempt(name, home, PASSWORD)
    world.clock.pass({ days: 29, hours: 23 })
    await plantWrong(10, { name })
    expect((await attempt(name, newAddress(), PASSWORD)).status).toBe(429)
    await plantWrong(18, { name, address: home })
    expect(await statuses(2, () => attempt(name, home))).toEqual(wrong(2))
    expect((await attempt(name, home, PASSWORD)).status).toBe(429)
  })

  test('has the limit of that account too after 30 days', async () => {
    const name = await somebody()
    const home = newAddress()
    await attempt(name, home, PASSWORD)
    world.clock.pass({ days: 30 })
    await plantWrong(10, { name })
    expect((await attempt(name, home, PASSWORD)).status).toBe(429)
  })

  test('has the limit of that account too where it logged in while the clock was ahead', async () => {
    const name = await somebody()
    const home = newAddress()
    world.clock.pass({ days: 1 })
    await attempt(name, home, PASSWORD)
    world.clock.pass({ days: -1 })
    await plantWrong(10, { name })
    expect((await attempt(name, home, PASSWORD)).status).toBe(429)
  })

  test('is the last in X-Forwarded-For that is no trusted proxy', async () => {
    const address = newAddress()
    // Whatever a client claims before its own address is not believed.
    await plantWrong(19, { address })
    await attempt(unique(), `${newAddress()}, ${address}`)
    expect((await attempt(unique(), address)).status).toBe(429)
    expect((await attempt(unique(), newAddress())).status).toBe(401)
  })

  test('counts by its /64 if it is IPv6, and whole if it is IPv4, however it is written', async () => {
    await plantWrong(18, { address: '2001:db8:7:7::/64' })
    for (const host of ['2001:db8:7:7::1', '2001:db8:7:7::2'])
      expect((await attempt(unique(), host)).status).toBe(401)
    expect((await attempt(unique(), '2001:db8:7:7:ffff:ffff:ffff:ffff')).status).toBe(429)
    expect((await attempt(unique(), '2001:db8:7:8::1')).status).toBe(401)

    const [plain, other] = [newAddress(), newAddress()]
    await plantWrong(19, { address: plain })
    expect((await attempt(unique(), plain)).status).toBe(401)
    expect((await attempt(unique(), `::ffff:${plain}`)).status).toBe(429)
    expect((await attempt(unique(), `::ffff:${other}`)).status).toBe(401)
  })
})

describe('with a proof of work, an account', () => {
  let guarded: World
  beforeAll(async () => {
    guarded = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1', CAPTCHA_PROVIDER: 'altcha' } })
  })
  afterAll(() => guarded.close())

  type Harder = { parameters: { data: { seconds: number } } }

  async function sendTry(name: string, address: string, password: string, challenge?: unknown) {
    const ordinary = async () => (await guarded.nobody().call(calls.session.captcha)).challenge
    return guarded.nobody().send(
      login,
      {
        login_username: name,
        login_password: password,
        g_recaptcha_response: await solved(challenge ?? (await ordinary())),
      },
      { headers: { 'x-forwarded-for': address } },
    )
  }

  /** Wrong logins a second after each other, the last of them now. */
  const plantRun = (name: string, count: number) => plantWrong(count, { name, seconds: 1 }, guarded)

  const harderOf = ({ body }: Answer) => (body as { challenge?: Harder }).challenge
  const secondsOf = (answer: Answer) => harderOf(answer)?.parameters.data.seconds

  test('admits after 10 wrong logins whoever solves the harder challenge of the 429', async () => {
    const { name } = (await guarded.family()).dealer
    await plantRun(name, 9)
    expect((await sendTry(name, newAddress(), 'wrong-password')).status).toBe(401)
    const refused = await sendTry(name, newAddress(), PASSWORD)
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
    expect(refused.headers.get('retry-after')).toBe('900')
    expect(secondsOf(refused)).toBe(5)
    const { status } = await sendTry(name, newAddress(), PASSWORD, harderOf(refused))
    expect(status).toBe(200)
  })

  test('counts a wrong login after a solved challenge like any other', async () => {
    const { name } = (await guarded.family()).dealer
    await plantRun(name, 19)
    const first = await sendTry(name, newAddress(), 'wrong-password')
    const harder = harderOf(first)
    expect((await sendTry(name, newAddress(), 'wrong-password', harder)).status).toBe(401)
    expect(secondsOf(await sendTry(name, newAddress(), PASSWORD))).toBe(10)
  })

  test.each([
    [10, 5],
    [19, 5],
    [20, 10],
    [30, 20],
    [40, 40],
    [50, 60],
    [99, 60],
  ])('asks after %i wrong logins for %i s of work', async (count, seconds) => {
    const { name } = (await guarded.family()).dealer
    await plantRun(name, count)
    expect(secondsOf(await sendTry(name, newAddress(), PASSWORD))).toBe(seconds)
  })

  test('that does not exist is answered like one that does', async () => {
    const [name, known] = [unique(), (await guarded.family()).dealer.name]
    for (const one of [name, known]) {
      expect((await sendTry(one, newAddress(), 'wrong-password')).status).toBe(401)
      const [kept] = await guarded.server.sql<{ name: string }[]>`
        select name from login_try order by id desc limit 1`
      await plantRun(kept?.name ?? '', 9)
    }
    const [unknown, other] = [
      await sendTry(name, newAddress(), PASSWORD),
      await sendTry(known, newAddress(), PASSWORD),
    ]
    expect(secondsOf(unknown)).toBe(5)
    const told = ({ status, body }: Answer) => [status, { ...(body as object), challenge: null }]
    expect(told(unknown)).toEqual(told(other))
    expect((await sendTry(name, newAddress(), PASSWORD, harderOf(unknown))).status).toBe(401)
  })

  test('accepts no work for another account, and no work that is less than it asks for now', async () => {
    const [one, two] = [(await guarded.family()).dealer.name, (await guarded.family()).dealer.name]
    await plantRun(one, 10)
    await plantRun(two, 10)
    const harder = harderOf(await sendTry(one, newAddress(), PASSWORD))
    expect((await sendTry(two, newAddress(), PASSWORD, harder)).body).toMatchObject({
      code: 'captcha_failed',
    })
    await plantRun(one, 10)
    expect(secondsOf(await sendTry(one, newAddress(), PASSWORD, harder))).toBe(10)
  })

  test('closes after 100 wrong logins in an hour, until the oldest of them is an hour old', async () => {
    const { name } = (await guarded.family()).dealer
    await plantRun(name, 100)
    guarded.clock.pass({ minutes: 30 })
    const refused = await sendTry(name, newAddress(), PASSWORD)
    expect(refused.status).toBe(429)
    expect(harderOf(refused)).toBeUndefined()
    expect(refused.headers.get('retry-after')).toBe(String(30 * 60 - 99))
    guarded.clock.pass({ minutes: 30, seconds: -99 })
    expect((await sendTry(name, newAddress(), PASSWORD)).status).toBe(200)
  })

  test('asks no more work of an address that logged in there in the last 30 days', async () => {
    const { name } = (await guarded.family()).dealer
    const home = newAddress()
    expect((await sendTry(name, home, PASSWORD)).status).toBe(200)
    guarded.clock.pass({ days: 29, hours: 23 })
    await plantRun(name, 100)
    expect((await sendTry(name, home, PASSWORD)).status).toBe(200)
    guarded.clock.pass({ hours: 2 })
    await plantRun(name, 10)
    expect(secondsOf(await sendTry(name, newAddress(), PASSWORD))).toBe(5)
  })
})

test('behind a named proxy that sends no X-Forwarded-For, wrong logins lock out nobody else, and the cause is told', async () => {
  const silent = await openWorld({ env })
  try {
    const nobody = silent.nobody()
    const health = async () => (await nobody.fetch('GET', '/v1/health')).body
    const findings = async () => (await silent.admin.call(calls.system.findings)).findings
    const { dealer } = await silent.family()
    const logIn = (name: string, password: string) =>
      nobody.send(login, { login_username: name, login_password: password })
    expect(await statuses(25, () => logIn(unique(), 'wrong-password'))).toEqual(wrong(25))
    expect((await logIn(dealer.name, PASSWORD)).status).toBe(200)
    expect(await health()).toMatchObject({ status: 'OK', silent_proxy: true, untrusted_proxy: false })
    expect(await findings()).toEqual([
      { kind: 'proxy', urgent: false, sentence: expect.stringContaining('without X-Forwarded-For') },
    ])
    expect(silent.server.logged.join()).toContain('TRUSTED_PROXIES without X-Forwarded-For')
  } finally {
    await silent.close()
  }
})

describe('behind a proxy that TRUSTED_PROXIES leaves out,', () => {
  let open: World
  beforeAll(async () => {
    open = await openWorld()
  })
  afterAll(() => open.close())

  const through = (name: string, password?: string) => attempt(name, newAddress(), password, open.nobody())
  const health = async () => (await open.nobody().fetch('GET', '/v1/health')).body

  test('wrong logins of one person lock out nobody else, and the log and /v1/health name the cause', async () => {
    const warnings = () => open.server.logged.filter((line) => line.includes('TRUSTED_PROXIES'))
    expect([await health(), warnings()]).toEqual([expect.objectContaining({ untrusted_proxy: false }), []])
    const { dealer } = await open.family()
    expect(await statuses(25, () => through(unique()))).toEqual(wrong(25))
    expect((await through(dealer.name, PASSWORD)).status).toBe(200)
    expect(warnings()).toEqual([expect.stringContaining('127.0.0.1')])
    expect(await health()).toMatchObject({ status: 'OK', untrusted_proxy: true })
    open.clock.pass({ minutes: 15 })
    expect(await health()).toMatchObject({ untrusted_proxy: false })
  })

  test('an account keeps its limit, and no address is exempt from it', async () => {
    const { name } = (await open.family()).dealer
    expect((await through(name, PASSWORD)).status).toBe(200)
    await plantWrong(9, { name }, open)
    expect((await through(name)).status).toBe(401)
    expect((await through(name, PASSWORD)).status).toBe(429)
  })

  test('a login that does not come through the proxy has the limit of its address', async () => {
    const direct = () =>
      open.nobody().send(login, { login_username: unique(), login_password: 'wrong-password' })
    await plantWrong(19, { address: '127.0.0.1' }, open)
    expect((await direct()).status).toBe(401)
    expect((await direct()).status).toBe(429)
  })
})

test('a login name that no account has is stored only as a digest', async () => {
  const typed = `My-Passw0rd-${unique()}`
  const { name } = (await world.family()).dealer
  await attempt(typed, newAddress())
  await attempt(typed.toUpperCase(), newAddress())
  await attempt(name.toUpperCase(), newAddress())
  const stored = await world.stored()
  for (const [table, rows] of stored) expect(rows.toLowerCase(), table).not.toContain(typed.toLowerCase())
  expect(world.server.logged.join().toLowerCase()).not.toContain(typed.toLowerCase())
  const tries = await world.server.sql<
    { name: string }[]
  >`select name from login_try order by id desc limit 3`
  const trail = await world.server.sql<{ name: string }[]>`
    select detail ->> 'name' as name from audit order by id desc limit 3`
  for (const [known, second, first] of [tries, trail]) {
    expect(known?.name).toBe(name)
    expect(first?.name).toMatch(/^digest [0-9a-f]{64}$/)
    expect(second?.name).toBe(first?.name)
  }
})

test('only wrong present passwords keep somebody who is signed in from changing the password, not wrong logins of strangers', async () => {
  const { dealer } = await world.family()
  const address = newAddress()
  const headers = { 'x-forwarded-for': address }
  await plantWrong(100, { name: dealer.name, seconds: 1 })
  await plantWrong(20, { address })
  expect((await attempt(dealer.name, address, PASSWORD)).status).toBe(429)
  const change = (old_password: string) =>
    dealer.send(calls.session.password, { old_password, password: 'another-password' }, { headers })
  expect(await statuses(9, () => change('wrong-password'))).toEqual(Array(9).fill(400))
  expect((await change(PASSWORD)).status).toBe(200)
  expect(await statuses(1, () => change('wrong-password'))).toEqual([400])
  const message = 'The present password was wrong too often. Please try again in 15 minutes.'
  expect(await change('another-password')).toMatchObject({
    status: 429,
    body: { message, errors: { old_password: message } },
  })
})

test('wrong logins with no name at all close the change of a password', async () => {
  const { dealer } = await world.family()
  for (const name of [`own:${dealer.name}`, `own ${dealer.name}`])
    expect(await statuses(10, () => attempt(name, newAddress()))).toEqual(wrong(10))
  const input = { old_password: PASSWORD, password: 'another-password' }
  expect((await dealer.send(calls.session.password, input)).status).toBe(200)
})

test('a right password whose sign-in fails for want of a turn counts as no wrong login', async () => {
  const { dealer } = await world.family()
  const address = newAddress()
  const release = await holdOpen(
    world.server.ownerSql,
    (held) => held`select from account where id = ${dealer.id} for update`,
  )
  const input = { login_username: dealer.name, login_password: PASSWORD }
  const answer = await world.nobody().attempt(login, input, { headers: { 'x-forwarded-for': address } })
  expect(answer).toMatchObject({ status: 503 })
  await release()
  expect(await world.server.sql`select from login_try where address = ${address}`).toHaveLength(0)
})

test('logins of one address that wait for each other leave everybody else the connections for changes', async () => {
  const [{ dealer }, address] = [await world.family(), newAddress()]
  const { name } = await world.client(dealer, { months: 0 })
  const release = await holdOpen(
    world.server.ownerSql,
    (held) => held`select pg_advisory_xact_lock(hashtextextended(${`address ${address}`}, 7))`,
  )
  const crowd = Array.from({ length: 30 }, () => attempt(unique(), address))
  const waiting = () => waitersOf(world.server.sql, 'advisory')
  await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0)
  // Until more would have come, if more could.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(await waiting()).toHaveLength(1)
  await dealer.call(calls.clients.save, { login: name, desc: 'Changed meanwhile' })
  await release()
  expect(
    (await Promise.all(crowd)).map(({ status }) => status).filter((status) => status === 401),
  ).toHaveLength(20)
})

test('a flood of logins holds no database connection, and does not delay other calls, nor their hashes', async () => {
  const { dealer } = await world.family()
  let answered = 0
  const flood = Array.from({ length: 80 }, async () => {
    const input = { login_username: unique(), login_password: 'wrong-password' }
    // On a slow machine the last ones are told that too many sign in.
    const answer = await world
      .nobody()
      .attempt(login, input, { headers: { 'x-forwarded-for': newAddress() } })
    if (typeof answer === 'object' && answer?.status === 401) answered += 1
  })
  // More calls than the pool has connections. How many of the flood are answered meanwhile is the machine's, but a call
  // that waited for their connections would come after 70 of them, and one that waited for their hashes after all 80.
  for (let worked = 0; worked < 10; worked += 1) await dealer.call(calls.credits.dealer)
  expect(answered).toBeLessThan(40)
  await expect.poll(() => answered).toBeGreaterThan(20)
  const before = answered
  // Two hashes, each after two of the flood at most.
  await dealer.call(calls.session.password, { old_password: PASSWORD, password: 'another-password' })
  expect(answered - before).toBeLessThan(20)
  await Promise.all(flood)
})

test('a login that was given up before its password was checked counts as no try', async () => {
  const [name, address, leaving] = [await somebody(), newAddress(), new AbortController()]
  // Behind these, some of the nine still wait for their turn to be checked when they are given up.
  const input = () => ({ login_username: unique(), login_password: 'wrong-password' })
  // On a slow machine the last ones are told that too many sign in.
  const before = Array.from({ length: 60 }, () =>
    world.nobody().attempt(login, input(), { headers: { 'x-forwarded-for': newAddress() } }),
  )
  const asked = Array.from({ length: 9 }, () =>
    fetch(`${world.server.url}/v1${login.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ login_username: name, login_password: 'wrong-password' }),
      signal: leaving.signal,
    }).catch(() => null),
  )
  const tries = () => world.server.sql<{ succeeded: boolean | null }[]>`
    select succeeded from login_try where name = ${name}`
  await expect.poll(async () => (await tries()).length).toBeGreaterThan(4)
  leaving.abort()
  await Promise.all([...asked, ...before])
  await expect.poll(async () => (await tries()).filter(({ succeeded }) => succeeded === null)).toEqual([])
  expect((await tries()).length).toBeLessThan(9)
})

test('a login costs one hash, whether its name is known or not', async () => {
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
