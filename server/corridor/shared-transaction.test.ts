import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { proveTheBooks } from '../../test/support/books.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { type Answer, type Person, suiteWorld, unique } from '../../test/support/world.ts'
import { CONNECTIONS, openPool } from '../postgres/pool.ts'

const { renew } = calls.clients
const world = await suiteWorld({ connections: CONNECTIONS })
const { sql, ownerSql } = world.server
const another = openPool(world.server.database.server, { max: 1 })
afterAll(async () => {
  await another.end()
  await proveTheBooks(ownerSql)
})

type Scene = { dealer: Person; name: string; expiry: string }

/** Dealers with three credits and a client. */
function scenes(count: number): Promise<Scene[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { dealer } = await world.family({ credits: 4 })
      const { name, expiry } = await world.client(dealer, { months: 1 })
      return { dealer, name, expiry }
    }),
  )
}

const once = ({ dealer, name }: Scene, key?: string) =>
  dealer.send(renew, { name, months: 1 }, key === undefined ? {} : { key })

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

async function creditsOf({ dealer }: Scene): Promise<number> {
  return (await dealer.call(calls.credits.dealer)).credits
}

/** Returns the transaction that wrote the newest row of the ledger of each client. */
async function transactionsOf(some: readonly { name: string }[]): Promise<string[]> {
  const found = await sql<{ transaction: string }[]>`
    select distinct on (login) xmin::text as transaction from transfer
    where login = any (${some.map(({ name }) => name)}::text[]) order by login, id desc`
  return found.map(({ transaction }) => transaction)
}

/**
 * Makes calls that share a transaction: they come while two others wait for what somebody else writes under their keys,
 * who ends once all have arrived and `meanwhile` is done.
 */
async function together<Made>(
  make: () => Promise<Made>[],
  meanwhile: () => PromiseLike<unknown> = async () => {},
): Promise<Made[]> {
  const [first, second] = (await scenes(2)) as [Scene, Scene]
  let arrived = 0
  const count = () => {
    arrived += 1
  }
  const accounts = [first.dealer.id, second.dealer.id]
  const release = await holdOpen(
    another,
    (sql) => sql`
      insert into idempotency_key (account, call, key, body_hmac, reply, created)
      select id, 'clients.renew', 'held', '', '{}', now() from unnest(${accounts}::bigint[]) id`,
  )
  const before: Promise<Answer>[] = []
  let asked: Promise<Made>[] = []
  try {
    before.push(once(first, 'held'))
    await somebodyWaits(sql, 1)
    before.push(once(second, 'held'))
    await somebodyWaits(sql, 2)
    world.server.app.server.on('request', count)
    asked = make()
    await expect.poll(() => arrived).toBeGreaterThanOrEqual(asked.length)
    // Each then has its session looked up. A busy machine may take long for that, so the time is that of other work;
    // the two that wait give up after ten seconds.
    const began = performance.now()
    for (let rounds = 0; rounds < 60 && performance.now() - began < 6_000; rounds += 1) {
      await sql`select 1`
      await pause(25)
    }
    await meanwhile()
  } finally {
    world.server.app.server.off('request', count)
    await release()
  }
  expect(statuses(await Promise.all(before))).toEqual([200, 200])
  return Promise.all(asked)
}

describe('renewals that come at once', () => {
  test('share a transaction, and each has its row, its balance, its audit and its reply', async () => {
    const all = await scenes(20)
    const answers = await together(() => all.map((scene) => once(scene, `key-of-${scene.name}`)))
    expect(statuses(answers)).toEqual(all.map(() => 200))
    expect(new Set(await transactionsOf(all)).size).toBe(1)
    for (const [at, scene] of all.entries()) {
      expect(answers[at]?.body).toMatchObject({ name: scene.name, credits: 2 })
      expect(await creditsOf(scene)).toBe(2)
      const { expiry } = await scene.dealer.call(calls.clients.detail, { name: scene.name })
      expect(expiry > scene.expiry).toBe(true)
      expect(answers[at]?.body).toMatchObject({ expiry })
      const audited = await sql`
        select from audit where event = 'clients.renew' and account = ${scene.dealer.id} and detail->>'name' = ${scene.name}`
      expect(audited).toHaveLength(1)
      expect((await once(scene, `key-of-${scene.name}`)).text).toBe(answers[at]?.text)
    }
  })

  test('are each judged for themselves', async () => {
    type Six = [Scene, Scene, Scene, Scene, Scene, Scene]
    const [fine, poor, stale, stranger, missing, other] = (await scenes(6)) as Six
    const answers = await together(() => [
      stranger.dealer.send(renew, { name: fine.name, months: 1 }),
      once(fine),
      poor.dealer.send(renew, { name: poor.name, months: 4 }),
      stale.dealer.send(renew, { name: stale.name, months: 1, expiry: '2020-01-01T00:00:00.000Z' }),
      missing.dealer.send(renew, { name: 'nobody-has-this', months: 1 }),
      once(other),
    ])
    const outcomes = answers.map(({ body }) => (body as { code?: string }).code ?? 'renewed')
    expect(outcomes).toEqual([
      ...['not_found', 'renewed', 'insufficient_credits', 'changed_since', 'not_found', 'renewed'],
    ])
    expect(answers[2]?.body).toMatchObject({ errors: { months: 'You have 3 credits; this needs 4.' } })
    expect(await Promise.all([fine, other].map(creditsOf))).toEqual([2, 2])
    expect(await Promise.all([stranger, poor, stale, missing].map(creditsOf))).toEqual([3, 3, 3, 3])
    expect(new Set(await transactionsOf([fine, other])).size).toBe(1)
  })

  test('of one client are counted one after the other', async () => {
    const [scene] = (await scenes(1)) as [Scene]
    const answers = await together(() => [once(scene), once(scene), once(scene)])
    expect(statuses(answers)).toEqual([200, 200, 200])
    const expiries = answers.map(({ body }) => (body as { expiry: string }).expiry)
    expect(new Set(expiries).size).toBe(3)
    expect(await creditsOf(scene)).toBe(0)
  })

  test('of one dealer spend no more than it has', async () => {
    const { dealer } = await world.family({ credits: 5 })
    // No more than an account may have under way beside others: any more would be let in later, to another transaction.
    const names = await Promise.all(
      Array.from({ length: 3 }, async () => (await world.client(dealer, { months: 1 })).name),
    )
    const answers = await together(() => names.map((name) => dealer.send(renew, { name, months: 1 })))
    expect(statuses(answers).sort()).toEqual([200, 200, 400])
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(0)
    const renewed = names.filter((_, at) => answers[at]?.status === 200).map((name) => ({ name }))
    expect(new Set(await transactionsOf(renewed)).size).toBe(1)
  })

  test('with one key are one', async () => {
    const [scene, other] = (await scenes(2)) as [Scene, Scene]
    const key = unique()
    const answers = await together(() => [once(scene, key), once(scene, key), once(other, key)])
    expect(statuses(answers)).toEqual([200, 200, 200])
    expect(answers[1]?.text).toBe(answers[0]?.text)
    expect(await Promise.all([scene, other].map(creditsOf))).toEqual([2, 2])
    const another = { name: scene.name, months: 2 }
    await scene.dealer.refused('key_reused', renew, another, { key })
  })

  test('with one key for two clients are one', async () => {
    const { dealer } = await world.family({ credits: 4 })
    const names = [
      (await world.client(dealer, { months: 1 })).name,
      (await world.client(dealer, { months: 1 })).name,
    ]
    const [other] = (await scenes(1)) as [Scene]
    const key = unique()
    const answers = await together(() => [
      ...names.map((name) => dealer.send(renew, { name, months: 1 }, { key })),
      once(other),
    ])
    expect(statuses(answers).sort()).toEqual([200, 200, 409])
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused?.body).toMatchObject({ code: 'key_reused' })
    const renewed = names.filter((_, at) => answers[at]?.status === 200).map((name) => ({ name }))
    expect(new Set(await transactionsOf([...renewed, other])).size).toBe(1)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(1)
  })

  test('of a caller who has disconnected meanwhile change nothing', async () => {
    const [scene, gone] = (await scenes(2)) as [Scene, Scene]
    const url = `${world.server.url}/v1${renew.path}`
    const headers = { 'access-token': gone.dealer.token, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: gone.name, months: 1 })
    const leaving = new AbortController()
    const outcomes = await together(
      () => [
        once(scene).then(({ status }) => status),
        fetch(url, { method: 'POST', headers, body, signal: leaving.signal }).then(
          ({ status }) => status,
          () => 'gone',
        ),
      ],
      async () => {
        leaving.abort()
        await pause(100)
      },
    )
    expect(outcomes).toEqual([200, 'gone'])
    expect(await Promise.all([scene, gone].map(creditsOf))).toEqual([2, 3])
  })
})

describe('of renewals that come at once', () => {
  const HELD: { what: string; hold: (scene: Scene) => Promise<() => Promise<void>> }[] = [
    {
      what: 'client',
      hold: ({ name }) =>
        holdOpen(ownerSql, (sql) => sql`select from client where name = ${name} for update`),
    },
    {
      what: 'balance',
      hold: ({ dealer }) =>
        holdOpen(ownerSql, (sql) => sql`select from holding where account = ${dealer.id} for update`),
    },
    {
      what: 'session',
      hold: ({ dealer }) =>
        holdOpen(ownerSql, (sql) => sql`select from session where account = ${dealer.id} for update`),
    },
    {
      what: 'key',
      hold: ({ dealer }) =>
        holdOpen(
          ownerSql,
          (sql) => sql`
            select pg_advisory_xact_lock(hashtextextended(${`${dealer.id} clients.renew key-of-${dealer.name}`}, 0))`,
        ),
    },
  ]

  test.each(HELD)('only the one whose $what somebody else holds waits for it', async ({ hold }) => {
    const all = await scenes(6)
    const [held, ...others] = all as [Scene, ...Scene[]]
    const release = await hold(held)
    let isAnswered = false
    // In a list, since a promise would be waited for.
    let waiting: Promise<Answer>[] = []
    try {
      const answers = await together(() => {
        waiting = [
          once(held, `key-of-${held.dealer.name}`).finally(() => {
            isAnswered = true
          }),
        ]
        return others.map((scene) => once(scene, unique()))
      })
      expect(statuses(answers)).toEqual(others.map(() => 200))
      expect(new Set(await transactionsOf(others)).size).toBe(1)
      await somebodyWaits(sql)
      expect(isAnswered).toBe(false)
    } finally {
      await release()
    }
    expect(statuses(await Promise.all(waiting))).toEqual([200])
    expect(await creditsOf(held)).toBe(2)
  })

  test('only the one whose session has ended is refused', async () => {
    const all = await scenes(4)
    const [ended, ...others] = all as [Scene, ...Scene[]]
    const answers = await together(
      () => all.map((scene) => once(scene)),
      () => sql`select end_sessions(${ended.dealer.id})`,
    )
    expect(answers[0]?.body).toMatchObject({ code: 'no_session' })
    expect(statuses(answers.slice(1))).toEqual(others.map(() => 200))
    expect(new Set(await transactionsOf(others)).size).toBe(1)
  })

  test('only the one that the database refuses fails', async () => {
    const all = await scenes(5)
    const [broken, ...others] = all as [Scene, ...Scene[]]
    await ownerSql.unsafe(
      `alter table transfer add constraint transfer_test_check check (login <> '${broken.name}') not valid`,
    )
    try {
      const answers = await together(() =>
        all.map(({ dealer, name }) =>
          dealer.fetch('POST', `/v1${renew.path}`, {
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ name, months: 1 }),
          }),
        ),
      )
      expect(statuses(answers)).toEqual([500, ...others.map(() => 200)])
    } finally {
      await ownerSql`alter table transfer drop constraint transfer_test_check`
    }
    expect(await Promise.all(all.map(creditsOf))).toEqual([3, 2, 2, 2, 2])
  })
})
