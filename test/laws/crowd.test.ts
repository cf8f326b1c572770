import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { CONNECTIONS } from '../../server/postgres/pool.ts'
import { type Answer, openWorld, PASSWORD, type Person, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ connections: CONNECTIONS })
})
afterAll(() => world.close())

const CROWD = 300

/** Makes a call over 300 connections at once. `answered` tells how many have come back. */
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

/** Somebody else's calls, one after the other. */
async function work({ reseller, dealer }: { reseller: Person; dealer: Person }): Promise<void> {
  for (let times = 0; times < 10; times += 1) {
    await dealer.call(calls.credits.dealer)
    await reseller.call(calls.level.dealer.save, { name: dealer.name, credits: 1, transaction: 0 })
  }
}

describe('300 connections of one dealer', () => {
  test('that wait for each other leave connections to everybody else, and are told to come again', async () => {
    const { dealer } = await world.family({ credits: CROWD })
    const { name } = await world.client(dealer)
    const others = await world.family({ credits: 10, to: 'reseller' })
    const renewals = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${dealer.id} for update`
      const renewals = crowd(() => dealer.attempt(calls.clients.renew, { name, months: 1 }))
      await work(others)
      expect(renewals.answered()).toBe(0)
      // Until those for whom there was no place in 10 s are told.
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

  test('that have passwords hashed hold no connection meanwhile', async () => {
    const { dealer } = await world.family()
    const others = await world.family({ credits: 10, to: 'reseller' })
    const change = { old_password: PASSWORD, password: PASSWORD }
    const changes = crowd(() => dealer.attempt(calls.session.password, change))
    await work(others)
    expect(changes.answered()).toBeLessThan(CROWD / 2)
    // Of several at once one is done; what has no place in 10 s is told to come again.
    for (const { status } of await changes.answers) expect([200, 400, 503]).toContain(status)
  })
})
