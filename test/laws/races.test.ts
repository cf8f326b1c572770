import { afterAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { PLAYED } from '../../server/verify/guards.ts'
import { verify } from '../../server/verify/verify.ts'
import { proveTheBooks } from '../support/books.ts'
import { type Answer, type Family, newClient, type Person, suiteWorld, uniqueMac } from '../support/world.ts'

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '100000' } })
const second = await world.another({ env: { TRIALS_PER_DAY: '100000' } })
afterAll(() => second.close())

/** A call that spends the dealer's credits, or returns them: then `spends` is negative. */
type Path = { name: string; spends: number; run: (scene: Scene, at: Person) => Promise<Answer> }

/** A dealer who can pay for one call, and the client of every call. */
type Scene = { family: Family; client: { name: string; mac: string } }

/** A client as the caller saw it. */
type Seen = { name: string; expiry: string }

const COST = 3
const PATHS: Path[] = [
  {
    name: 'create',
    spends: COST,
    run: (_scene, at) => at.send(calls.clients.create, newClient({ months: COST })),
  },
  {
    name: 'saveclient',
    spends: COST,
    run: ({ client }, at) => at.send(calls.clients.save, { login: client.name, months: COST, desc: 'Raced' }),
  },
  {
    name: 'renew',
    spends: COST,
    run: ({ client }, at) => at.send(calls.clients.renew, { name: client.name, months: COST }),
  },
  {
    name: 'multirenew',
    spends: COST,
    run: ({ client }, at) => at.send(calls.clients.multirenew, { clients: [client.name], months: COST }),
  },
  {
    name: 'retrieve',
    spends: -COST,
    run: ({ client }, at) => at.send(calls.clients.retrieve, { login: client.name, credits: COST }),
  },
  {
    name: 'save',
    spends: COST,
    // The reseller removes credits from the dealer meanwhile.
    run: ({ family: { reseller, dealer } }) =>
      reseller.send(calls.level.dealer.save, { name: dealer.name, credits: COST, transaction: 1 }),
  },
]
const PAIRS = PATHS.flatMap((one, index) =>
  PATHS.slice(index).map((two) => ({ one, two, names: `${one.name} and ${two.name}` })),
)

type Change = { change: string; run: (scene: Changing) => Promise<Answer> }

/** A dealer with a client, and another reseller of its superreseller. */
type Changing = Scene & { other: Person }

const CHANGES: Change[] = [
  {
    change: 'suspending',
    run: ({ family: { reseller, dealer } }) => reseller.send(calls.tree.suspend, { name: dealer.name }),
  },
  {
    change: 'suspending the reseller of',
    run: ({ family: { superreseller, reseller } }) =>
      superreseller.send(calls.tree.suspend, { name: reseller.name }),
  },
  {
    change: 'moving',
    run: ({ family: { superreseller, dealer }, other }) =>
      superreseller.send(calls.tree.move, { name: dealer.name, to: other.name }),
  },
  {
    change: 'moving the reseller of',
    run: async ({ family: { reseller } }) => {
      const { name: to } = await world.child(world.admin)
      return world.admin.send(calls.tree.move, { name: reseller.name, to })
    },
  },
  {
    change: 'closing',
    run: ({ family: { reseller, dealer } }) => reseller.send(calls.tree.close, { name: dealer.name }),
  },
]

describe('a change of the tree and a call at once on two servers leave sound books:', () => {
  const pairs = CHANGES.flatMap((one) =>
    PATHS.map((path) => ({ ...one, path, names: `${one.change} a dealer, and ${path.name}` })),
  )

  test.each(pairs)('$names', async ({ run, path }) => {
    for (let round = 0; round < 3; round += 1) {
      const family = await world.family({ credits: 3 * COST })
      const client = await world.client(family.dealer, { months: '2d' })
      await family.dealer.call(calls.clients.renew, { name: client.name, months: COST })
      if (round === 2) await world.admin.call(calls.admin.remove, { name: client.name })
      const scene = { family, client, other: await world.child(family.superreseller) }
      // Person checks that neither is answered by a 500.
      const [, answer] = await Promise.all([run(scene), path.run(scene, world.at(second, family.dealer))])
      expect([200, 400, 401, 403, 404]).toContain(answer.status)
    }
    expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
  })
})

describe('two calls at once on two servers spend no more than the dealer has:', () => {
  test.each(PAIRS)('$names', async ({ one, two }) => {
    for (let round = 0; round < 5; round += 1) {
      const scene = await newScene()
      const { dealer } = scene.family
      const other = world.at(second, dealer)
      const [first, next] = round % 2 ? [two, one] : [one, two]
      // Person checks that no answer is a 500.
      const answers = await Promise.all([first.run(scene, dealer), next.run(scene, other)])
      const done = [first, next].filter((_path, index) => answers[index]?.status === 200)
      const left = COST - done.reduce((sum, { spends }) => sum + spends, 0)
      expect((await dealer.call(calls.credits.dealer)).credits).toBe(left)
      expect(left).toBeGreaterThanOrEqual(0)
      // A retrieval may pay for the other call; of two retrievals, the client has months for one.
      const retrievals = [one, two].filter(({ name }) => name === 'retrieve').length
      expect(done.length, answers.map(({ text }) => text).join()).toBeGreaterThanOrEqual(1)
      if (retrievals === 0 || retrievals === 2) expect(done).toHaveLength(1)
      await proveTheBooks(world.server.sql, [scene.family.superreseller.id])
    }
  })

  /**
   * The client has paid for exactly one retrieval, which leaves the second day of its trial and so needs no new one.
   */
  async function newScene(): Promise<Scene> {
    const family = await world.family({ credits: 2 * COST })
    const client = await world.client(family.dealer, { months: '2d' })
    await family.dealer.call(calls.clients.renew, { name: client.name, months: COST })
    return { family, client }
  }
})

test('when two servers at once add months to a client as both saw it, one succeeds, and credits are charged once', async () => {
  const { clients } = calls
  const ways = [
    (at: Person, { name, expiry }: Seen) => at.send(clients.save, { login: name, months: 1, expiry }),
    (at: Person, { name, expiry }: Seen) => at.send(clients.renew, { name, months: 1, expiry }),
    (at: Person, { name, expiry }: Seen) =>
      at.send(clients.multirenew, { clients: [name], months: 1, expiries: [expiry] }),
  ]
  const { dealer } = await world.family({ credits: 100 })
  const other = world.at(second, dealer)
  for (const one of ways) {
    for (const two of ways) {
      const seen = await world.client(dealer, { months: 1 })
      const before = (await dealer.call(calls.credits.dealer)).credits
      const answers = await Promise.all([one(dealer, seen), two(other, seen)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'changed_since' })
      expect((await dealer.call(calls.credits.dealer)).credits).toBe(before - 1)
      expect(await dealer.call(clients.detail, { name: seen.name })).toMatchObject({ retrievable: 2 })
    }
  }
})

test('when two clients on trials take one MAC at once on two servers, one of them gets it', async () => {
  const { dealer } = await world.family()
  const other = world.at(second, dealer)
  for (let round = 0; round < 20; round += 1) {
    const [one, two] = [await world.client(dealer), await world.client(dealer)]
    const stb_mac = uniqueMac()
    // The first one gives the MAC back at once, so that only its trial can stop the second.
    const take = async (at: Person, { name, mac }: { name: string; mac: string }) => {
      const answer = await at.send(calls.clients.save, { login: name, stb_mac, o_mac: mac })
      if (answer.status === 200)
        await at.call(calls.clients.save, { login: name, stb_mac: mac, o_mac: stb_mac })
      return answer
    }
    const answers = await Promise.all([take(dealer, one), take(other, two)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  }
})

test('many different calls at once on one account leave the books right, without a deadlock', async () => {
  const { superreseller, reseller, dealer } = await world.family({ credits: 40 })
  const clients = await Promise.all(Array.from({ length: 4 }, () => world.client(dealer, { months: 2 })))
  const names = clients.map(({ name }) => name)
  const other = world.at(second, dealer)
  const one = (index: number, at: Person) => {
    const name = names[index % names.length] as string
    const reversed = index % 2 ? names : [...names].reverse()
    const { clients } = calls
    switch (index % 8) {
      case 0:
        return at.attempt(clients.create, newClient({ months: 1 }))
      case 1:
        return at.attempt(clients.multirenew, { clients: reversed, months: 1 })
      case 2:
        return at.attempt(clients.renew, { name, months: 1 })
      case 3:
        return at.attempt(clients.save, { login: name, months: 1 })
      case 4:
        return at.attempt(clients.retrieve, { login: name, credits: 1 })
      case 5:
        return reseller.attempt(calls.level.dealer.save, { name: dealer.name, credits: 2, transaction: 1 })
      case 6:
        return reseller.attempt(calls.level.dealer.save, {
          name: dealer.name,
          credits: 2,
          transaction: 0,
          desc: 'Raced',
        })
      default:
        return at.attempt(clients.create, newClient({ months: 0 }))
    }
  }
  const answers = await Promise.all(
    Array.from({ length: 96 }, (_, index) => one(index, index % 3 ? dealer : other)),
  )
  // On a slow machine those that found no place within 10 s are told that the server is busy.
  const statuses = answers.map((answer) => (answer === null || answer === 'cut' ? answer : answer.status))
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(20)
  expect([...new Set(statuses)].filter((status) => ![200, 400, 503].includes(Number(status)))).toEqual([])
  await proveTheBooks(world.server.sql, [superreseller.id])
})

test('a reseller with credits for one gift makes one of four at once', async () => {
  const { superreseller, reseller, dealer } = await world.family({ credits: 5, to: 'reseller' })
  const sibling = await world.child(reseller)
  const give = ({ name }: Person) =>
    reseller.send(calls.level.dealer.save, { name, credits: 5, transaction: 0 })
  const answers = await Promise.all([give(dealer), give(sibling), give(dealer), give(sibling)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  await proveTheBooks(world.server.sql, [superreseller.id])
})

test('two clients that swap their MACs at once are both refused', async () => {
  const { dealer } = await world.family()
  for (let round = 0; round < 40; round += 1) {
    const [one, two] = [await world.client(dealer), await world.client(dealer)]
    const take = (from: { name: string; mac: string }, mac: string, at: Person) =>
      at.send(calls.clients.save, { login: from.name, stb_mac: mac, o_mac: from.mac })
    const answers = await Promise.all([
      take(one, two.mac, dealer),
      take(two, one.mac, world.at(second, dealer)),
    ])
    for (const { body } of answers) expect(body).toMatchObject({ code: 'mac_taken' })
  }
})

test('when two dealers give one login or MAC to new clients at once, one of them succeeds', async () => {
  const [one, two] = [
    // One of them may win each time.
    (await world.family({ credits: 10 })).dealer,
    (await world.family({ credits: 10 })).dealer,
  ]
  for (let round = 0; round < 5; round += 1) {
    const stb_mac = uniqueMac()
    const [a, b] = [newClient({ months: 1 }), newClient({ months: 1 })]
    for (const [same, code] of [
      [{ login: a.login }, 'name_taken'],
      [{ stb_mac }, 'mac_taken'],
    ] as const) {
      const answers = await Promise.all([
        one.send(calls.clients.create, { ...a, ...newNames(), ...same }),
        world.at(second, two).send(calls.clients.create, { ...b, ...newNames(), ...same }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
      expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({ code })
    }
  }
})

function newNames() {
  const { login, stb_mac } = newClient()
  return { login, stb_mac }
}

test('a deletion of many at once with renewals deletes only expired ones: all, or none where one was renewed', async () => {
  const { clients } = calls
  const { superreseller, dealer } = await world.family({ credits: 1_000 })
  const other = world.at(second, dealer)
  for (let round = 0; round < 12; round += 1) {
    const made = await Promise.all(Array.from({ length: 5 }, () => world.client(dealer)))
    const names = made.map(({ name }) => name)
    for (const name of names) await world.setExpiry(name, '2026-05-01T23:59:59.000Z')
    const name = names[round % names.length] as string
    const renewals = [
      () => other.send(clients.renew, { name, months: 1 }),
      () => other.send(clients.multirenew, { clients: [...names].reverse(), months: 1 }),
      () => other.send(clients.save, { login: name, months: 1 }),
    ]
    const renew = renewals[round % renewals.length] as (typeof renewals)[number]
    const remove = () => dealer.send(clients.multiremove, { clients: names })
    const [removed, renewed] =
      round % 2 ? await Promise.all([remove(), renew()]) : (await Promise.all([renew(), remove()])).reverse()
    // One of them wins, and the other is refused whole.
    expect([removed?.status, renewed?.status].sort()).toEqual([200, renewed?.status === 200 ? 400 : 404])
    const left = (await dealer.call(clients.list, { per_page: 500 })).data.filter((one) =>
      names.includes(one.name),
    )
    expect(left).toHaveLength(removed?.status === 200 ? 0 : names.length)
  }
  await proveTheBooks(world.server.sql, [superreseller.id])
  const deleted = await world.server.sql`
    select from transfer where type = 'DELETE' and dealer = ${dealer.id} and expiry >= created`
  expect(deleted).toHaveLength(0)
})
