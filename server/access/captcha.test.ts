import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { solved as solve, written } from '../../test/support/captcha.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { freePort } from '../../test/support/port.ts'
import { captchaFailures } from '../metrics.ts'
import type { Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'
import { type Captcha, openCaptcha } from './captcha.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let sql: Sql
const key = new Uint8Array(32).fill(7)
const now = new Date('2026-01-31T23:59:00.000Z')

beforeAll(async () => {
  database = await freshDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

describe('a proof of work', () => {
  const captcha = openCaptcha({ provider: 'altcha' }, key)

  test('passes if its challenge is solved', async () => {
    expect(await check(captcha, await solved(captcha))).toBe(0)
  })

  test('may have its solution at any of its 150 tries, so that no program begins behind the first', async () => {
    const found = await Promise.all(
      Array.from({ length: 20 }, async () => read(await solved(captcha)).solution.counter as number),
    )
    expect(Math.min(...found)).toBeLessThan(75)
    expect(Math.max(...found)).toBeGreaterThanOrEqual(75)
    expect(Math.max(...found)).toBeLessThan(150)
  })

  test.each([
    undefined,
    '',
    'nonsense',
    written({}),
    written({ challenge: { parameters: {} }, solution: {} }),
  ])('is refused if it is missing or nonsense: %s', async (answer) => {
    await refuses(captcha, answer)
  })

  test('does not exhaust the server if it is deeply nested JSON', async () => {
    const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`
    await refuses(captcha, Buffer.from(`{"challenge":{"parameters":${deep}}}`).toString('base64'))
  })

  test('is refused if its challenge is changed or its solution is made up', async () => {
    const { challenge, solution } = read(await solved(captcha))
    const easier = { ...challenge, parameters: { ...challenge.parameters, cost: 1 } }
    await refuses(captcha, written({ challenge: easier, solution }))
    const later = { ...challenge.parameters, data: { expiry: now.getTime() + 9e9 } }
    await refuses(captcha, written({ challenge: { ...challenge, parameters: later }, solution }))
    const guessed = { ...solution, derivedKey: `${challenge.parameters.keyPrefix}${'0'.repeat(32)}` }
    await refuses(captcha, written({ challenge, solution: guessed }))
  })

  test('has other challenges under another key', async () => {
    const stranger = openCaptcha({ provider: 'altcha' }, new Uint8Array(32).fill(8))
    await refuses(captcha, await solved(stranger))
  })

  test('is made for one network after the other, however many one of them asks for', async () => {
    const made: string[] = []
    const ask = async (network: string) => {
      await captcha.challenge(stranger(network))
      made.push(network)
    }
    const flood = Array.from({ length: 100 }, () => ask('192.0.2.1'))
    await Promise.all([ask('192.0.2.2'), ask('192.0.2.3')])
    expect(made.length).toBeLessThan(10)
    await Promise.all(flood)
  })

  test('is not made for one who has disconnected', async () => {
    const gone = new AbortController()
    const asked = Array.from({ length: 20 }, () =>
      captcha.challenge({ ...stranger('192.0.2.1'), gone: gone.signal }),
    )
    gone.abort()
    const outcomes = await Promise.allSettled(asked)
    // The first was under way.
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is refused after five minutes', async () => {
    const answer = await solved(captcha)
    await refuses(captcha, answer, new Date(now.getTime() + 300_000))
    await check(captcha, answer, new Date(now.getTime() + 299_999))
  })

  test('is valid once on all servers, however it is encoded', async () => {
    const answer = await solved(captcha)
    const other = openCaptcha({ provider: 'altcha' }, key)
    await check(captcha, answer)
    await refuses(captcha, answer)
    await refuses(other, answer)
    await refuses(
      other,
      written({ solution: read(answer).solution, challenge: read(answer).challenge, more: 1 }),
    )
  })

  test('admits only one of many logins that use it at the same time', async () => {
    const answer = await solved(captcha)
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => check(captcha, answer)))
    expect(tries.filter((tried) => tried.status === 'fulfilled')).toHaveLength(1)
  })
})

describe('a harder challenge', () => {
  const captcha = openCaptcha({ provider: 'altcha' }, key)
  const harderChallenge = async (name: string, seconds: number) =>
    captcha.harderChallenge?.({ ...stranger('192.0.2.1'), now }, name, seconds)

  test('is valid once, for its own login name, and returns its cost', async () => {
    const answer = await solve(await harderChallenge('Rui.Tavares', 5))
    await refuses(captcha, answer, now, 'somebody-else')
    expect(await check(captcha, answer, now, 'rui.tavares')).toBe(5)
    await refuses(captcha, answer, now, 'rui.tavares')
  })

  test('cannot be changed to claim a higher cost', async () => {
    const { challenge, solution } = read(await solve(await harderChallenge('rui', 1)))
    const data = { ...challenge.parameters.data, seconds: 60 }
    const boasting = { ...challenge, parameters: { ...challenge.parameters, data } }
    await refuses(captcha, written({ challenge: boasting, solution }), now, 'rui')
  })

  test('may be answered for fifteen minutes, because an old phone without HTTPS needs some of them', async () => {
    const answer = await solve(await harderChallenge('rui', 1))
    await refuses(captcha, answer, new Date(now.getTime() + 900_000), 'rui')
    await check(captcha, answer, new Date(now.getTime() + 899_999), 'rui')
  })

  test('takes as many tries of a phone, which makes 250 a second, as its seconds say on average', async () => {
    for (const seconds of [5, 60]) {
      const challenge = await harderChallenge('rui', seconds)
      expect(challenge?.parameters.data).toMatchObject({ seconds, tries: 2 * seconds * 250 })
    }
  })
})

describe('with a hosted captcha,', () => {
  let provider: Server
  let captcha: Captcha
  let asked: URLSearchParams
  let questions = 0
  let answering: { status: number; body: string; location?: string } | 'silence'

  beforeAll(async () => {
    provider = createServer(async (request, response) => {
      questions += 1
      let body = ''
      for await (const part of request) body += part
      asked = new URLSearchParams(body)
      if (answering === 'silence') return
      if (request.url === '/elsewhere') return response.end('{"success":true}')
      const { status, body: answer, location } = answering
      response
        .writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
        .end(answer)
    })
    await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening))
    captcha = at((provider.address() as AddressInfo).port)
  })
  afterAll(() => {
    provider.closeAllConnections()
    provider.close()
  })

  test('the server sends the secret, the solution and the address to the provider', async () => {
    answering = { status: 200, body: '{"success":true}' }
    await check(captcha, 'told')
    expect(Object.fromEntries(asked)).toEqual({ secret: 'secret', response: 'told', remoteip: '192.0.2.1' })
  })

  test('a solution is valid once, whatever the provider replies', async () => {
    answering = { status: 200, body: '{"success":true}' }
    await check(captcha, 'once')
    await refuses(captcha, 'once')
  })

  test('a solution is refused if the provider refuses it, and a missing one without asking', async () => {
    answering = { status: 200, body: '{"success":false}' }
    await refuses(captcha, 'a robot')
    answering = { status: 200, body: '{"success":true}' }
    await refuses(captcha, undefined)
    await refuses(captcha, '')
  })

  test.each([
    { status: 500, body: 'down' },
    { status: 200, body: 'not json' },
    { status: 200, body: '{"success":"yes"}' },
    { status: 302, body: '', location: '/elsewhere' },
  ])('a malformed reply of the provider, or one that leads elsewhere, lets nobody in: %o', async (answer) => {
    answering = answer
    await expect(check(captcha, 'odd')).rejects.toMatchObject({
      message: expect.stringContaining('cannot be used now'),
      cause: expect.any(Error),
    })
  })

  test.each([
    { code: 'invalid-input-secret', isDown: true },
    { code: 'missing-input-secret', isDown: true },
    // Who sends the solution of another site brings these about, too.
    { code: 'bad-request', isDown: false },
    { code: 'sitekey-secret-mismatch', isDown: false },
  ])(
    "a provider that answers '$code' is logged with the name of the key, and counts as one that is down: $isDown",
    async ({ code, isDown }) => {
      answering = { status: 200, body: JSON.stringify({ success: false, 'error-codes': [code] }) }
      const before = await failures()
      await expect(check(captcha, 'solved elsewhere')).rejects.toMatchObject({
        message: isDown
          ? 'The verification service cannot be used now. Please try again later.'
          : 'The human verification did not pass. Please try again.',
        cause: new Error(`The provider of the captcha answers '${code}': check CAPTCHA_SECRET_KEY.`),
      })
      expect(await failures()).toBe(before + Number(isDown))
    },
  )

  test('a solution that is only wrong is not logged', async () => {
    const codes = ['invalid-input-response', 'timeout-or-duplicate']
    answering = { status: 200, body: JSON.stringify({ success: false, 'error-codes': codes }) }
    await expect(check(captcha, 'stale')).rejects.toMatchObject({ cause: undefined })
  })

  test('at most four solutions of one address are checked at a time, and those of another address meanwhile', async () => {
    answering = 'silence'
    const leaving = new AbortController()
    const from = (network: string, answer: string) =>
      captcha
        .check({ sql, now, address: network, network, gone: leaving.signal }, answer, 'somebody')
        .catch(() => {})
    const before = questions
    const flood = Array.from({ length: 30 }, (_, at) => from('192.0.2.2', `made up ${at}`))
    await expect.poll(() => questions - before).toBe(4)
    const beside = from('192.0.2.3', 'from elsewhere')
    await expect.poll(() => questions - before).toBe(5)
    provider.closeAllConnections()
    leaving.abort()
    await Promise.all([...flood, beside])
    expect(questions - before).toBeLessThan(30)
  })

  test('a provider that is down or silent lets nobody in', async () => {
    await expect(check(at(await freePort()), 'down')).rejects.toThrow('cannot be used now')
    answering = 'silence'
    await expect(check(captcha, 'silent')).rejects.toThrow('cannot be used now')
  })
})

test("the provider 'none' accepts every login", async () => {
  await check(openCaptcha({ provider: 'none' }, key), undefined)
})

async function failures(): Promise<number> {
  return (await captchaFailures.get()).values[0]?.value ?? 0
}

function at(port: number): Captcha {
  const configured = { provider: 'turnstile', siteKey: 'site', secretKey: 'secret' } as const
  return openCaptcha(configured, key, `http://127.0.0.1:${port}/siteverify`)
}

function check(captcha: Captcha, answer: string | undefined, at = now, name = 'somebody') {
  return captcha.check({ sql, now: at, address: '192.0.2.1', network: null, gone: null }, answer, name)
}

async function refuses(captcha: Captcha, answer: string | undefined, at = now, name = 'somebody') {
  const refusal = await check(captcha, answer, at, name).then(
    () => null,
    (error: unknown) => error,
  )
  expect(refusal).toBeInstanceOf(Refusal)
  expect((refusal as Refusal).bodyOf('')).toMatchObject({
    code: 'captcha_failed',
    errors: { g_recaptcha_response: expect.any(String) },
  })
  expect((refusal as Refusal).httpStatus).toBe(400)
}

async function solved(captcha: Captcha): Promise<string> {
  return solve((await captcha.challenge(stranger('192.0.2.1'))).challenge)
}

function read(answer: string) {
  return JSON.parse(Buffer.from(answer, 'base64').toString())
}

function stranger(network: string) {
  return { now, network, gone: null }
}
