import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { CONNECTIONS } from '../../server/postgres/pool.ts'
import { waitersOf } from '../support/hold.ts'
import { type Answer, PASSWORD, type Person, suiteWorld } from '../support/world.ts'

const world = await suiteWorld({ connections: CONNECTIONS })

const CROWD = 300

/** Makes a call over 300 connections at once. `answered` returns how many answers have arrived. */
function crowd(make: (index: number) => Promise<Answer | null | 'cut'>) {
  let answered = 0
  const answers = Array.from({ length: CROWD }, async (_, index) => {
    const answer = await make(index)
    answered += 1
    if (answer === null || answer === 'cut') throw new Error('no answer came')
    return answer
  })
  return { answers: Promise.all(answers), answered: () => answered }
}

/** All were served; on a slow machine those that found no place within 10 s were refused. */
function expectAnswers(answers: readonly Answer[]): void {
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status !== 503)).toEqual(statuses.filter((status) => status === 200))
  expect(statuses).toContain(200)
}

/**
 * Returns a function that tells whether no call that comes from now on can have been refused yet, which happens after
 * 10 s.
 */
function beforeRefusals(): () => boolean {
  const began = performance.now()
  return () => performance.now() - began < 9_000
}

/** Makes another family's calls, one after the other. */
async function work({ reseller, dealer }: { reseller: Person; dealer: Person }): Promise<void> {
  for (let times = 0; times < 10; times += 1) {
    await dealer.call(calls.credits.dealer)
    await reseller.call(calls.level.dealer.save, { name: dealer.name, credits: 1, transaction: 0 })
  }
}

/** Returns how many of the server's connections wait for a lock. */
const waitingForLocks = async () => (await waitersOf(world.server.sql)).length

/** The most changes of one account that run at once. */
const TURNS = CONNECTIONS - 5

test('a call whose sender disconnects before its turn changes nothing', async () => {
  const { dealer } = await world.family({ credits: TURNS + 1 })
  const { name } = await world.client(dealer)
  const { url, ownerSql, app } = world.server
  const renewals = await ownerSql.begin(async (sql) => {
    await sql`select from holding where account = ${dealer.id} for update`
    const renewals = Array.from({ length: TURNS }, () =>
      dealer.send(calls.clients.renew, { name, months: 1 }),
    )
    await expect.poll(waitingForLocks).toBe(TURNS)
    const headers = { 'access-token': dealer.token, 'content-type': 'application/json' }
    const arrival = once(app.server, 'request')
    const last = request(`${url}/v1${calls.clients.renew.path}`, { method: 'POST', headers })
    last.on('error', () => {}).end(JSON.stringify({ name, months: 1 }))
    const [, answer] = await arrival
    last.destroy()
    await once(answer, 'close')
    // In a list, since a promise would be waited for.
    return [Promise.all(renewals)]
  })
  for (const { status } of (await renewals[0]) ?? []) expect(status).toBe(200)
  expect((await dealer.call(calls.credits.dealer)).credits).toBe(1)
})

describe('300 calls of one dealer at once', () => {
  test('that wait for one lock leave database connections to other people, and end in a 503 with Retry-After', async () => {
    const { dealer } = await world.family({ credits: CROWD })
    const { name } = await world.client(dealer)
    const others = await world.family({ credits: 10, to: 'reseller' })
    const renewals = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${dealer.id} for update`
      const isEarly = beforeRefusals()
      const renewals = crowd(() => dealer.attempt(calls.clients.renew, { name, months: 1 }))
      await work(others)
      if (isEarly()) expect(renewals.answered()).toBe(0)
      // A call that finds no place within 10 s is refused.
      while (renewals.answered() === 0) await new Promise((resolve) => setTimeout(resolve, 50))
      return renewals
    })
    const answers = await renewals.answers
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ code: 'unavailable' })
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    }
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length + refused.length).toBe(CROWD)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(CROWD - done.length)
  })

  test('that read what is locked run eight at a time, and leave database connections to other people', async () => {
    const { dealer } = await world.family()
    const { name } = await world.client(dealer)
    const other = (await world.family()).dealer
    const reads = await world.server.ownerSql.begin(async (sql) => {
      await sql`lock table client in access exclusive mode`
      const isEarly = beforeRefusals()
      const reads = crowd(() => dealer.attempt(calls.clients.detail, { name }))
      await expect.poll(waitingForLocks, { timeout: 10_000 }).toBe(8)
      for (let times = 0; times < 10; times += 1) await other.call(calls.credits.dealer)
      const [waiting, answered] = [await waitingForLocks(), reads.answered()]
      if (isEarly()) expect({ waiting, answered }).toEqual({ waiting: 8, answered: 0 })
      return reads
    })
    expectAnswers(await reads.answers)
  })

  test('run three at a time while another account has a call under way', async () => {
    const { dealer } = await world.family()
    const { name } = await world.client(dealer)
    const other = (await world.family()).dealer
    const theirs = await world.client(other)
    const third = (await world.family()).dealer
    const { reads, first, isServed } = await world.server.ownerSql.begin(async (sql) => {
      await sql`lock table client in access exclusive mode`
      const isEarly = beforeRefusals()
      const first = other.attempt(calls.clients.detail, { name: theirs.name })
      await expect.poll(waitingForLocks).toBe(1)
      const reads = crowd(() => dealer.attempt(calls.clients.detail, { name }))
      await expect.poll(waitingForLocks, { timeout: 10_000 }).toBe(4)
      for (let times = 0; times < 10; times += 1) await third.call(calls.credits.dealer)
      const waiting = await waitingForLocks()
      const isServed = isEarly()
      if (isServed) expect(waiting).toBe(4)
      return { reads, first: [first], isServed }
    })
    for (const answer of await Promise.all(first)) if (isServed) expect(answer).toMatchObject({ status: 200 })
    expectAnswers(await reads.answers)
  })

  test('that wait for their sessions to be found take one database connection', async () => {
    const { dealer } = await world.family()
    const sessions = await Promise.all(Array.from({ length: 20 }, () => world.again(dealer)))
    const others = await world.family()
    const wrong = { login_username: others.dealer.name, login_password: 'wrong' }
    const { app, ownerSql } = world.server
    const requests = await ownerSql.begin(async (sql) => {
      await sql`lock table session in access exclusive mode`
      const isEarly = beforeRefusals()
      let come = 0
      app.server.on('request', () => {
        come += 1
      })
      const requests = crowd((index) => (sessions[index % 20] as Person).attempt(calls.credits.dealer))
      await expect.poll(() => come).toBe(CROWD)
      expect((await world.nobody().fetch('GET', '/v1/health')).status).toBe(200)
      await world.nobody().refused('wrong_login', calls.session.login, wrong)
      const waiting = await waitingForLocks()
      if (isEarly()) expect(waiting).toBe(1)
      return requests
    })
    expectAnswers(await requests.answers)
  })

  test('that hash a password hold no database connection meanwhile', async () => {
    const { dealer } = await world.family()
    const others = await world.family({ credits: 10, to: 'reseller' })
    const change = { old_password: PASSWORD, password: PASSWORD }
    const isEarly = beforeRefusals()
    const changes = crowd(() => dealer.attempt(calls.session.password, change))
    await work(others)
    if (isEarly()) expect(changes.answered()).toBeLessThan(CROWD / 2)
    // Of several changes at once one succeeds; a call that finds no place within 10 s is a 503.
    for (const { status } of await changes.answers) expect([200, 400, 503]).toContain(status)
  })
})
