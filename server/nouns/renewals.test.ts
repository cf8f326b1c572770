import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { newClient, openWorld, type Person, suiteWorld, unique } from '../../test/support/world.ts'

const { create, detail, history, quote, renew, multirenew, retrieve, save } = calls.clients

let dealer: Person
const world = await suiteWorld({ env: { TRIALS_PER_DAY: '1000' } })

/** Sets the clock to ten in the morning of a day, and makes a dealer with credits. */
async function dealerAt(day: string, credits = 100): Promise<Person> {
  world.clock.set(`${day}T10:00:00Z`)
  dealer = (await world.family({ credits })).dealer
  return dealer
}

const end = (day: string) => `${day}T23:59:59.000Z`

describe('a renewal', () => {
  test('counts from the present expiry, or from today where the client has expired', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 1 })
    expect(await dealer.call(renew, { name, months: 2 })).toEqual({
      status: 'OK',
      name,
      expiry: end('2026-08-15'),
      credits: 97,
    })
    await world.setExpiry(name, end('2026-05-14'))
    expect((await dealer.call(renew, { name: name.toUpperCase(), months: 1 })).expiry).toBe(end('2026-06-15'))
  })

  test.each([
    ['2026-01-31', 1, '2026-02-28'],
    ['2027-12-31', 2, '2028-02-29'],
    ['2026-02-28', 1, '2026-03-28'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2026-05-15', 12, '2027-05-15'],
  ])('from %s by %i months ends on %s', async (from, months, to) => {
    await dealerAt('2024-01-10')
    const { name } = await world.client(dealer)
    await world.setExpiry(name, end(from))
    expect((await dealer.call(renew, { name, months })).expiry).toBe(end(to))
  })

  test('that is repeated counts from the new expiry: 31 January becomes 28 February, then 28 March', async () => {
    await dealerAt('2026-01-31')
    const { name } = await world.client(dealer, { months: 1 })
    expect((await dealer.call(renew, { name, months: 1 })).expiry).toBe(end('2026-03-28'))
  })

  test('cannot go beyond the year 9999, for one client, for many and in a quote', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer)
    await world.setExpiry(name, end('9999-06-30'))
    const asked = [
      [renew, { name, months: 7 }],
      [calls.clients.multirenew, { clients: [name], months: 7 }],
      [calls.clients.quote, { clients: [name], months: 7 }],
      [calls.clients.save, { login: name, months: 7 }],
    ] as const
    for (const [call, input] of asked) {
      const { status, body } = await dealer.send(call, input)
      expect([status, body], call.name).toMatchObject([
        400,
        { errors: { months: 'The service would last past the year 9999.' } },
      ])
    }
    expect((await dealer.call(renew, { name, months: 6 })).expiry).toBe(end('9999-12-30'))
  })

  test('may reach into the year 3000', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer)
    await world.setExpiry(name, end('2999-01-31'))
    expect((await dealer.call(renew, { name, months: 12 })).expiry).toBe(end('3000-01-31'))
  })

  test('costs its months, and is refused where the dealer has fewer credits', async () => {
    await dealerAt('2026-05-15', 3)
    const { name, expiry } = await world.client(dealer)
    const { message } = await dealer.refused('insufficient_credits', renew, { name, months: 12 })
    expect(message).toBe('You have 3 credits; this needs 12.')
    expect(await dealer.call(detail, { name })).toMatchObject({ expiry })
    expect((await dealer.call(renew, { name, months: 3 })).credits).toBe(0)
  })

  test.each([0, 13, -1, 1.5, '1', null])('accepts 1 to 12 months: not %j', async (months) => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer)
    for (const answer of [
      await dealer.send(renew, { name, months }),
      await dealer.send(multirenew, { clients: [name], months }),
      await dealer.send(quote, { clients: [name], months }),
    ]) {
      expect(answer.body).toMatchObject({
        code: 'invalid_input',
        errors: { months: 'Credits must be a whole number from 1 to 12' },
      })
    }
  })

  test('is refused where the expiry is not the one that was seen', async () => {
    await dealerAt('2026-05-15')
    const { name, expiry } = await world.client(dealer, { months: 1 })
    await dealer.call(renew, { name, months: 1, expiry })
    const { message } = await dealer.refused('changed_since', renew, { name, months: 1, expiry })
    expect(message).toContain(name)
    expect(await balance()).toBe(98)
  })

  test("adds a row with the new expiry to the client's history", async () => {
    await dealerAt('2026-05-15')
    const { name, mac } = await world.client(dealer, { desc: 'Hall' })
    await dealer.call(renew, { name, months: 3 })
    const [row] = await dealer.call(history, { name })
    expect(row).toMatchObject({
      type: 'USED',
      credits: 3,
      login: name,
      mac,
      description: 'Hall',
      expiry: end('2026-08-15'),
      actor: dealer.name,
    })
  })
})

describe('a renewal of many, with the months of each', () => {
  test('gives each client its own months, costs their sum, and a quote says the same before', async () => {
    await dealerAt('2026-05-15')
    const one = await world.client(dealer, { months: 1 })
    const two = await world.client(dealer)
    const input = { clients: [two.name, one.name], months: [12, 2] }
    expect(await dealer.call(quote, input)).toMatchObject({
      cost: 14,
      credits: 99,
      balance_after: 85,
      expiries: [
        { name: two.name, new_expiry: end('2027-05-15') },
        { name: one.name, new_expiry: end('2026-08-15') },
      ],
    })
    expect(await dealer.call(multirenew, input)).toEqual({ status: 'OK', count: 2, credits: 85 })
    expect(await dealer.call(detail, { name: two.name })).toMatchObject({ expiry: end('2027-05-15') })
    expect(await dealer.call(detail, { name: one.name })).toMatchObject({ expiry: end('2026-08-15') })
    const [row] = await dealer.call(history, { name: one.name })
    expect(row).toMatchObject({ type: 'USED', credits: 2 })
  })

  test('is all or nothing, and needs months for each client', async () => {
    await dealerAt('2026-05-15', 5)
    const [one, two] = [await world.client(dealer), await world.client(dealer)]
    const clients = [one.name, two.name]
    await dealer.refused('insufficient_credits', multirenew, { clients, months: [1, 5] })
    expect(await balance()).toBe(5)
    for (const months of [[1], [1, 2, 3], [], [1, 13], [0, 1]]) {
      for (const call of [quote, multirenew]) {
        const { errors } = await dealer.refused('invalid_input', call, { clients, months })
        expect(Object.keys(errors ?? {})[0]).toMatch(/^months/)
      }
    }
    await dealer.call(multirenew, { clients, months: [1, 4] })
    expect(await balance()).toBe(0)
  })
})

describe('a renewal of many', () => {
  test('counts for each client from its own expiry, and costs months × clients', async () => {
    await dealerAt('2026-05-15')
    const one = await world.client(dealer, { months: 1 })
    const two = await world.client(dealer)
    const clients = [two.name, one.name.toUpperCase()]
    expect(await dealer.call(multirenew, { clients, months: 2 })).toEqual({
      status: 'OK',
      count: 2,
      credits: 95,
    })
    expect(await expiries(one.name, two.name)).toEqual([end('2026-08-15'), end('2026-07-15')])
  })

  test('renews nobody where the dealer has too few credits', async () => {
    await dealerAt('2026-05-15', 5)
    const names = [await world.client(dealer), await world.client(dealer)].map(({ name }) => name)
    const before = await expiries(...names)
    const { message } = await dealer.refused('insufficient_credits', multirenew, {
      clients: names,
      months: 3,
    })
    expect(message).toBe('You have 5 credits; this needs 6.')
    expect(await expiries(...names)).toEqual(before)
    expect(await balance()).toBe(5)
  })

  test("renews nobody where one name is not the caller's", async () => {
    await dealerAt('2026-05-15')
    const own = await world.client(dealer)
    const foreign = await world.client((await world.family()).dealer)
    const answers = []
    for (const other of [foreign.name, unique()]) {
      answers.push(await dealer.send(multirenew, { clients: [own.name, other], months: 1 }))
      answers.push(await dealer.send(quote, { clients: [other], months: 1 }))
    }
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await expiries(own.name)).toEqual([own.expiry])
  })

  test('is refused if it names a client twice, also in another case', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer)
    for (const call of [multirenew, quote]) {
      const { errors } = await dealer.refused('invalid_input', call, {
        clients: [name, name.toUpperCase()],
        months: 1,
      })
      expect(errors).toEqual({ 'clients.1': 'A client is named twice' })
    }
  })

  test('accepts 1 to 1,000 names', async () => {
    await dealerAt('2026-05-15', 1_000)
    const none = await dealer.refused('invalid_input', multirenew, { clients: [], months: 1 })
    expect(none.errors).toEqual({ clients: 'Please select at least one client' })
    await plantClients(1_001)
    const names = await world.server.sql<
      { name: string }[]
    >`select name from client where dealer = ${dealer.id}`
    const clients = names.map(({ name }) => name)
    const many = await dealer.refused('invalid_input', multirenew, { clients, months: 1 })
    expect(many.errors).toEqual({ clients: 'At most 1,000 clients can be chosen at once' })
    const thousand = clients.slice(1)
    expect((await dealer.call(quote, { clients: thousand, months: 1 })).balance_after).toBe(0)
    expect(await dealer.call(multirenew, { clients: thousand, months: 1 })).toEqual({
      status: 'OK',
      count: 1_000,
      credits: 0,
    })
    expect(await expiries(clients[0] ?? '', clients[1] ?? '')).toEqual([end('2026-05-15'), end('2026-06-15')])
  })

  test('renews nobody where one expiry is not the one that was seen', async () => {
    await dealerAt('2026-05-15')
    const one = await world.client(dealer)
    const two = await world.client(dealer)
    const seen = { clients: [one.name, two.name], months: 1, expiries: [one.expiry, two.expiry] }
    await dealer.call(renew, { name: two.name, months: 1 })
    const { message } = await dealer.refused('changed_since', multirenew, seen)
    expect(message).toContain(two.name)
    expect(await expiries(one.name)).toEqual([one.expiry])
    await dealer.call(multirenew, { ...seen, expiries: [one.expiry, end('2026-06-15')] })
    const { errors } = await dealer.refused('invalid_input', multirenew, { ...seen, expiries: [one.expiry] })
    expect(errors).toEqual({ expiries: 'There must be one expiry for each client' })
  })
})

describe('a quote', () => {
  test('returns the cost, the balance after it and each new expiry, and changes nothing', async () => {
    await dealerAt('2026-05-15', 5)
    const one = await world.client(dealer, { months: 1 })
    const two = await world.client(dealer)
    expect(await dealer.call(quote, { clients: [two.name, one.name], months: 3 })).toEqual({
      status: 'OK',
      cost: 6,
      credits: 4,
      balance_after: -2,
      expiries: [
        { name: two.name, expiry: two.expiry, new_expiry: end('2026-08-15') },
        { name: one.name, expiry: one.expiry, new_expiry: end('2026-09-15') },
      ],
    })
    expect(await expiries(one.name, two.name)).toEqual([one.expiry, two.expiry])
    expect(await balance()).toBe(4)
  })

  test('leaves out whom somebody has deleted or moved meanwhile, and nobody who is left gets their months', async () => {
    await dealerAt('2026-05-15', 9)
    const [one, gone, two] = [
      await world.client(dealer),
      await world.client(dealer),
      await world.client(dealer),
    ]
    await world.admin.call(calls.admin.remove, { name: gone.name })
    const clients = [one.name, gone.name, two.name.toUpperCase()]
    expect(await dealer.call(quote, { clients, months: [1, 7, 2] })).toMatchObject({
      cost: 3,
      balance_after: 6,
      expiries: [
        { name: one.name, new_expiry: end('2026-06-15') },
        { name: two.name, new_expiry: end('2026-07-15') },
      ],
    })
  })
})

describe('a retrieval', () => {
  test('takes back the newest months first: a whole purchase restores the expiry before it, a part makes the purchase smaller', async () => {
    await dealerAt('2026-01-31')
    const { name } = await world.client(dealer, { months: 1 })
    await dealer.call(renew, { name, months: 3 })
    await dealer.call(renew, { name, months: 2 })
    const steps: [number, string][] = [
      [1, end('2026-06-28')],
      [1, end('2026-05-28')],
      [2, end('2026-03-28')],
      [1, end('2026-02-28')],
    ]
    let credits = await balance()
    for (const [taken, expiry] of steps) {
      credits += taken
      expect(await dealer.call(retrieve, { login: name.toUpperCase(), credits: taken })).toEqual({
        status: 'OK',
        name,
        expiry,
        credits,
      })
    }
    expect(await dealer.call(detail, { name })).toMatchObject({ retrievable: 1, expiry: end('2026-02-28') })
  })

  test('restores the expiry before a purchase, even where counting months back gives another day', async () => {
    await dealerAt('2026-01-15')
    const { name } = await world.client(dealer)
    await world.setExpiry(name, end('2026-01-31'))
    await dealer.call(renew, { name, months: 1 })
    expect((await dealer.call(detail, { name })).retrievals).toEqual([end('2026-01-31')])
    expect(await dealer.call(retrieve, { login: name, credits: 1 })).toMatchObject({
      expiry: end('2026-01-31'),
    })
  })

  test('is refused where the expiry is not the one that was seen', async () => {
    await dealerAt('2026-05-15')
    const { name, expiry } = await world.client(dealer, { months: 3 })
    await dealer.call(retrieve, { login: name, credits: 1, expiry })
    const { message } = await dealer.refused('changed_since', retrieve, { login: name, credits: 1, expiry })
    expect(message).toContain(name)
    expect((await dealer.call(detail, { name })).retrievable).toBe(2)
  })

  test('never moves the expiry before the end of today', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 3 })
    world.clock.set('2026-06-20T10:00:00Z')
    const { message, errors } = await dealer.refused('not_retrievable', retrieve, { login: name, credits: 2 })
    expect(message).toBe(`1 credit can be retrieved from ${name}.`)
    expect(errors).toEqual({ credits: message })
    expect(await dealer.call(detail, { name })).toMatchObject({ retrievable: 1 })
    expect(await dealer.call(retrieve, { login: name, credits: 1 })).toMatchObject({
      expiry: end('2026-07-15'),
    })
    const none = await dealer.refused('not_retrievable', retrieve, { login: name, credits: 1 })
    expect(none.message).toBe(`Nothing can be retrieved from ${name} any more.`)
  })

  test('leaves the last day of service where it ends today', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 1 })
    world.clock.set('2026-06-15T23:59:59Z')
    await dealer.refused('not_retrievable', retrieve, { login: name, credits: 1 })
    world.clock.set('2026-06-15T23:59:59.001Z')
    await dealer.refused('client_expired', retrieve, { login: name, credits: 1 })
  })

  test('takes back no more than was used and not yet taken back', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer)
    await world.setExpiry(name, end('2027-12-31'))
    await dealer.call(renew, { name, months: 2 })
    for (const credits of [3, 12]) {
      const { message } = await dealer.refused('not_retrievable', retrieve, { login: name, credits })
      expect(message).toBe(`2 credits can be retrieved from ${name}.`)
    }
    await dealer.call(retrieve, { login: name, credits: 2 })
    await dealer.refused('not_retrievable', retrieve, { login: name, credits: 1 })
    expect(await balance()).toBe(100)
  })

  test('takes back purchases of every call that makes them', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 1 })
    await dealer.call(save, { login: name, months: 1 })
    await dealer.call(renew, { name, months: 1 })
    await dealer.call(multirenew, { clients: [name], months: 1 })
    expect(await dealer.call(detail, { name })).toMatchObject({ retrievable: 4 })
    expect(await dealer.call(retrieve, { login: name, credits: 3 })).toMatchObject({
      expiry: end('2026-06-15'),
      credits: 99,
    })
  })

  test('after the renewal of an expired client cannot make it expired again', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer)
    world.clock.set('2026-05-20T10:00:00Z')
    await dealer.call(renew, { name, months: 2 })
    const { message } = await dealer.refused('not_retrievable', retrieve, { login: name, credits: 2 })
    expect(message).toBe(`1 credit can be retrieved from ${name}.`)
    expect(await dealer.call(retrieve, { login: name, credits: 1 })).toMatchObject({
      expiry: end('2026-06-20'),
    })
  })

  test("adds a row with the credits to the client's history", async () => {
    await dealerAt('2026-05-15')
    const { name, mac } = await world.client(dealer, { months: 5 })
    await dealer.call(retrieve, { login: name, credits: 2 })
    const [row] = await dealer.call(history, { name })
    expect(row).toMatchObject({
      type: 'RETRIEVED',
      credits: 2,
      login: name,
      mac,
      expiry: end('2026-08-15'),
      actor: dealer.name,
    })
  })

  test.each([0, 13, -1, 0.5, '1', null])('accepts 1 to 12 credits: not %j', async (credits) => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 1 })
    const answer = await dealer.send(retrieve, { login: name, credits })
    expect(answer.body).toMatchObject({ code: 'invalid_input', errors: { credits: expect.any(String) } })
  })

  test('that leaves the client with today only counts as a trial of that day, once', async () => {
    await dealerAt('2026-05-15')
    const { name, mac } = await world.client(dealer, { months: 1 })
    await dealer.call(retrieve, { login: name, credits: 1 })
    const types = async () => (await dealer.call(history, { name })).map(({ type }) => type)
    expect(await types()).toEqual(['TRIAL', 'RETRIEVED', 'USED'])
    await dealer.call(renew, { name, months: 1 })
    await dealer.call(retrieve, { login: name, credits: 1 })
    expect(await types()).toEqual(['RETRIEVED', 'USED', 'TRIAL', 'RETRIEVED', 'USED'])
    await world.admin.call(calls.admin.remove, { name })
    await dealer.refused('mac_had_trial', create, newClient({ stb_mac: mac }))
  })

  test('that leaves tomorrow as well is no trial', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: '2d' })
    await dealer.call(renew, { name, months: 1 })
    expect(await dealer.call(retrieve, { login: name, credits: 1 })).toMatchObject({
      expiry: end('2026-05-16'),
    })
    expect((await dealer.call(history, { name })).map(({ type }) => type)).toEqual([
      'RETRIEVED',
      'USED',
      'TRIAL',
    ])
  })

  test('that would exceed the trials of the day is refused and changes nothing', async () => {
    const few = await openWorld({ env: { TRIALS_PER_DAY: '1' } })
    try {
      const { dealer } = await few.family({ credits: 5 })
      const { name, expiry } = await few.client(dealer, { months: 1 })
      await few.client(dealer)
      const { errors } = await dealer.refused('trials_used_up', retrieve, { login: name, credits: 1 })
      expect(errors).toHaveProperty('credits')
      expect(await dealer.call(detail, { name })).toMatchObject({ expiry, retrievable: 0, retrievals: [] })
      expect((await dealer.call(calls.credits.dealer)).credits).toBe(4)
    } finally {
      await few.close()
    }
  })

  test('cannot give a MAC free service day after day', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 1 })
    await dealer.call(retrieve, { login: name, credits: 1 })
    world.clock.set('2026-05-16T10:00:00Z')
    await dealer.call(renew, { name, months: 1 })
    await dealer.refused('not_retrievable', retrieve, { login: name, credits: 1 })
  })
})

describe('what is offered to retrieve', () => {
  test('is at most what one retrieval may take', async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 12 })
    await dealer.call(renew, { name, months: 12 })
    const offered = await dealer.call(detail, { name })
    expect(offered).toMatchObject({ retrievable: 12, trial_retrieval: null })
    expect(offered.retrievals.at(-1)).toBe(end('2027-05-15'))
  })

  test('excludes the last month where the MAC had a trial in the last 30 days', async () => {
    await dealerAt('2026-05-15')
    const gone = await world.client((await world.family()).dealer)
    await world.admin.call(calls.admin.remove, { name: gone.name })
    const { name } = await world.client(dealer, { months: 3, stb_mac: gone.mac })
    expect(await dealer.call(detail, { name })).toMatchObject({
      retrievable: 2,
      retrievals: [end('2026-07-15'), end('2026-06-15')],
      trial_retrieval: null,
    })
    const { message, errors } = await dealer.refused('mac_had_trial', retrieve, { login: name, credits: 3 })
    expect(errors).toEqual({ credits: message })
    const more = await dealer.refused('not_retrievable', retrieve, { login: name, credits: 4 })
    expect(more.message).toBe(`2 credits can be retrieved from ${name}.`)
  })

  test("includes which retrieval counts as one of the day's trials", async () => {
    await dealerAt('2026-05-15')
    const { name } = await world.client(dealer, { months: 2 })
    expect(await dealer.call(detail, { name })).toMatchObject({ retrievable: 2, trial_retrieval: 2 })
    await dealer.call(retrieve, { login: name, credits: 2 })
    await dealer.call(renew, { name, months: 2 })
    // Its trial of today was given already.
    expect(await dealer.call(detail, { name })).toMatchObject({ retrievable: 2, trial_retrieval: null })
  })
})

test("another dealer's client is not found by any of these calls", async () => {
  await dealerAt('2026-05-15')
  const foreign = await world.client((await world.family({ credits: 1 })).dealer, { months: 1 })
  for (const name of [foreign.name, unique()]) {
    await dealer.refused('not_found', renew, { name, months: 1 })
    await dealer.refused('not_found', retrieve, { login: name, credits: 1 })
    await dealer.refused('not_found', quote, { clients: [name], months: 1 })
  }
})

async function balance(): Promise<number> {
  return (await dealer.call(calls.credits.dealer)).credits
}

async function expiries(...names: string[]): Promise<string[]> {
  const found = await Promise.all(names.map((name) => dealer.call(detail, { name })))
  return found.map(({ expiry }) => expiry)
}

/** Inserts clients that expire today directly, because that many calls would take too long. */
async function plantClients(count: number): Promise<void> {
  await world.plantClients(dealer, { last: count })
}
