import { afterEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { hold, somebodyWaits } from '../../test/support/hold.ts'
import {
  type Family,
  newClient,
  PASSWORD,
  type Person,
  suiteWorld,
  unique,
  uniqueMac,
} from '../../test/support/world.ts'
import { PLAYED } from '../verify/guards.ts'
import { verify } from '../verify/verify.ts'
import { fillBranchDays } from './growth.ts'
import { fillStatistics } from './statistics.ts'

const { move, account, suspend, lift, growth } = calls.tree
const { renew } = calls.clients
const { detail, history, save, list } = calls.level.dealer
const ADD = 0

const world = await suiteWorld()
// Every test leaves books that verify finds sound, by the tree as it stood at each row.
afterEach(async () => {
  expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
})

/** A dealer with a client, and another reseller of its superreseller. */
async function newScene() {
  const family = await world.family({ credits: 9 })
  const { name: client } = await world.client(family.dealer, { months: 1 })
  return { ...family, client, other: await world.child(family.superreseller) }
}

async function typesOf(person: Person, role: 'superreseller' | 'reseller'): Promise<string[]> {
  return (await person.call(calls.desk[role].transactions)).map(({ type }) => type)
}

describe('a dealer that is moved to another reseller', () => {
  test('takes its balance, its clients and its own history along, and stays signed in', async () => {
    const { superreseller, other, dealer, client } = await newScene()
    const { name } = dealer
    await superreseller.call(move, { name: name.toUpperCase(), to: other.name })
    expect(await other.call(detail, { name })).toMatchObject({ credits: 8 })
    expect((await other.call(history, { name })).map(({ type }) => type)).toEqual(['USED', 'ADD'])
    expect((await other.call(calls.transactions.list, { account: name })).count).toBe(2)
    expect(await dealer.call(renew, { name: client, months: 2 })).toMatchObject({ credits: 6 })
    await other.call(save, { name, credits: 6, transaction: 1 })
    expect((await superreseller.call(account, { name })).path).toEqual([other.name])
  })

  test('leaves its rows to those who could read them, and writes its next ones for the new reseller', async () => {
    const { superreseller, reseller, other, dealer, client } = await newScene()
    await superreseller.call(move, { name: dealer.name, to: other.name })
    await dealer.call(renew, { name: client, months: 1 })
    expect(await typesOf(reseller, 'reseller')).toEqual(['USED', 'ADD', 'ADD'])
    expect(await typesOf(other, 'reseller')).toEqual(['USED'])
    expect((await typesOf(superreseller, 'superreseller')).length).toBe(5)
  })

  test('is no longer the old reseller’s, whatever that asks', async () => {
    const { superreseller, reseller, other, dealer } = await newScene()
    const { name } = dealer
    await superreseller.call(move, { name, to: other.name })
    await reseller.refused('not_found', detail, { name })
    await reseller.refused('not_found', history, { name })
    await reseller.refused('not_found', save, { name, credits: 1, transaction: 1 })
    await reseller.refused('not_found', suspend, { name })
    await reseller.refused('not_found', calls.lowBalance.ofChild, { name, below: 3 })
    expect((await reseller.call(list)).count).toBe(0)
    expect((await reseller.call(calls.session.users)).map((user) => user.name)).not.toContain(name)
    expect((await other.call(calls.session.users)).map((user) => user.name)).toContain(name)
  })

  test('has its open request for credits withdrawn', async () => {
    const { superreseller, reseller, other, dealer } = await newScene()
    const { id } = await dealer.call(calls.requests.ask, { credits: 5 })
    await superreseller.call(move, { name: dealer.name, to: other.name })
    expect(await dealer.call(calls.requests.own)).toMatchObject({
      parent: other.name,
      data: [{ id, state: 'withdrawn', answer: 'You have another parent now.' }],
    })
    const { data, ended } = await reseller.call(calls.requests.list)
    expect([data, ended]).toMatchObject([[], [{ id, name: dealer.name, credits: 5, state: 'withdrawn' }]])
    expect(await other.call(calls.requests.list)).toEqual({ data: [], ended: [] })
    await reseller.refused('not_found', calls.requests.grant, { id, credits: 5 })
    await other.refused('changed_since', calls.requests.grant, { id, credits: 5 })
  })

  test('keeps its own threshold of a low balance, and not the one that its old reseller set for it', async () => {
    const { superreseller, reseller, dealer, other } = await newScene()
    const { name } = dealer
    await reseller.call(calls.lowBalance.ofChild, { name, below: 500 })
    await superreseller.call(move, { name, to: other.name })
    expect(await other.call(account, { name })).toMatchObject({ low_below: null, low: false })
    await dealer.call(calls.lowBalance.own, { below: 600 })
    await superreseller.call(move, { name, to: reseller.name })
    expect(await reseller.call(account, { name })).toMatchObject({ low_below: null, low: true })
  })

  test('loses its sessions where somebody above its new place is suspended', async () => {
    const { superreseller, other, dealer } = await newScene()
    await superreseller.call(suspend, { name: other.name })
    await superreseller.call(move, { name: dealer.name, to: other.name })
    expect(await world.server.sql`select from session where account = ${dealer.id}`).toEqual([])
  })
})

describe('a reseller that is moved to another superreseller', () => {
  test('takes everything beneath it along: paths, counts and statistics follow from that day on', async () => {
    const { superreseller, reseller, dealer } = await newScene()
    const to = await world.child(world.admin)
    const whose = (person: Person) => world.admin.call(calls.admin.statistics, { name: person.name })
    const counted = async () => {
      const { data } = await world.admin.call(calls.level.superreseller.list)
      return [superreseller, to].map(({ name }) => {
        const row = data.find((one) => one.name === name)
        return [row?.resellers, row?.dealers, row?.clients]
      })
    }
    world.clock.pass({ days: 1 })
    const before = await whose(superreseller)
    expect(await counted()).toEqual([
      [2, 1, 1],
      [0, 0, 0],
    ])
    await world.admin.call(move, { name: reseller.name, to: to.name })
    await dealer.call(calls.clients.create, newClient({ months: 1 }))
    expect(await counted()).toEqual([
      [1, 0, 0],
      [1, 1, 2],
    ])
    const holds = async () => {
      expect((await whose(superreseller)).slice(0, before.length - 1)).toEqual(before.slice(0, -1))
      expect((await whose(superreseller)).at(-1)).toMatchObject({ resellers: 1, dealers: 0, clients: 0 })
      expect((await whose(to)).at(-1)).toMatchObject({ resellers: 1, dealers: 1, clients: 2 })
      expect((await reseller.call(growth)).clients.slice(0, 2)).toEqual([1, 2])
      expect((await superreseller.call(growth)).clients.slice(0, 2)).toEqual([1, 0])
      expect((await to.call(growth)).clients.slice(0, 2)).toEqual([0, 2])
    }
    await holds()
    world.clock.pass({ days: 1 })
    await holds()
    expect(await fillStatistics(world.server.sql, world.clock.now, 'UTC')).toBeGreaterThan(0)
    expect(await fillBranchDays(world.server.sql, world.clock.now, 'UTC')).toBeGreaterThan(0)
    await holds()
  })

  test('leaves a dealer that was closed before in the statistics of no one', async () => {
    const { superreseller, reseller, dealer } = await newScene()
    const closed = await world.child(reseller)
    const to = await world.child(world.admin)
    const whose = (person: Person) => world.admin.call(calls.admin.statistics, { name: person.name })
    await reseller.call(calls.tree.close, { name: closed.name })
    world.clock.pass({ days: 1 })
    await fillStatistics(world.server.sql, world.clock.now, 'UTC')
    const [ofClosing] = await whose(superreseller)
    expect(ofClosing).toMatchObject({ resellers: 2, dealers: 1 })
    await world.admin.call(move, { name: reseller.name, to: to.name })
    await dealer.call(calls.clients.create, newClient({ months: 1 }))
    for (const days of [0, 1]) {
      world.clock.pass({ days })
      await fillStatistics(world.server.sql, world.clock.now, 'UTC')
      expect((await whose(superreseller))[0]).toEqual(ofClosing)
      expect((await whose(superreseller)).at(-1)).toMatchObject({ resellers: 1, dealers: 0 })
      expect((await whose(to)).at(-1)).toMatchObject({ resellers: 1, dealers: 1 })
    }
  })

  test('is counted with the first superreseller again once it is moved back', async () => {
    const { superreseller, reseller, dealer, client } = await newScene()
    const to = await world.child(world.admin)
    for (const name of [to.name, superreseller.name]) {
      await world.admin.call(move, { name: reseller.name, to: name })
      await dealer.call(renew, { name: client, months: 1 })
    }
    expect((await world.admin.call(account, { name: superreseller.name })).beneath).toMatchObject({
      dealers: 1,
      clients: 1,
    })
    expect((await world.admin.call(account, { name: to.name })).beneath).toMatchObject({
      dealers: 0,
      clients: 0,
    })
    expect(await typesOf(to, 'superreseller')).toEqual(['USED'])
  })
})

describe('a move', () => {
  test('is made by whoever is above both ends', async () => {
    const { superreseller, reseller, other, dealer } = await newScene()
    const { name } = dealer
    const elsewhere = await world.family()
    const to = elsewhere.reseller.name
    await reseller.refused('wrong_role', move, { name, to: other.name })
    await superreseller.refused('not_found', move, { name, to })
    await elsewhere.superreseller.refused('not_found', move, { name, to })
    await superreseller.refused('not_found', move, { name: reseller.name, to: elsewhere.superreseller.name })
    await superreseller.refused('not_found', move, { name: superreseller.name, to: reseller.name })
    await world.admin.refused('not_found', move, { name: world.admin.name, to })
    await world.admin.call(move, { name, to })
    await superreseller.refused('not_found', move, { name, to: other.name })
  })

  test('leads to a parent of the role above alone', async () => {
    const { superreseller, reseller, other, dealer } = await newScene()
    const sibling = await world.child(reseller)
    const { admin } = world
    for (const [name, to] of [
      [dealer.name, sibling.name],
      [dealer.name, superreseller.name],
      [dealer.name, dealer.name],
      [reseller.name, other.name],
      [superreseller.name, admin.name],
    ] as const) {
      const { status } = await admin.send(move, { name, to })
      expect([400, 404], `${name} to ${to}`).toContain(status)
    }
    const { errors } = await admin.refused('invalid_input', move, { name: dealer.name, to: sibling.name })
    expect(errors).toEqual({ to: `${sibling.name} is no reseller.` })
  })

  test('away from a suspended account is made by whoever may lift the suspension', async () => {
    const { superreseller, reseller, dealer, other } = await newScene()
    const out = { name: dealer.name, to: other.name }
    await world.admin.call(suspend, { name: reseller.name })
    const { message } = await superreseller.refused('account_suspended', move, out)
    expect(message).toBe(
      `${reseller.name} is suspended. Only who suspended it, or somebody above them, can move anything away from it.`,
    )
    await world.admin.call(move, out)
    await superreseller.call(move, { name: dealer.name, to: reseller.name })
    await superreseller.refused('account_suspended', move, out)
    await world.admin.call(lift, { name: reseller.name })
    await superreseller.call(suspend, { name: reseller.name })
    await superreseller.call(move, out)
  })

  test('of an account that is suspended itself takes its suspension along', async () => {
    const { superreseller, dealer, other } = await newScene()
    await world.admin.call(suspend, { name: dealer.name })
    await superreseller.call(move, { name: dealer.name, to: other.name })
    await superreseller.refused('account_suspended', lift, { name: dealer.name })
  })

  test('to where the account is already changes nothing', async () => {
    const { superreseller, reseller, dealer } = await newScene()
    const moves = () => world.server.sql`select from tree_move`
    const before = (await moves()).length
    await superreseller.call(move, { name: dealer.name, to: reseller.name })
    expect((await moves()).length).toBe(before)
  })

  test('is a row for each account whose path it changed, which nobody can change', async () => {
    const { reseller, dealer } = await newScene()
    const { sql, ownerSql } = world.server
    const to = await world.child(world.admin)
    await world.admin.call(move, { name: reseller.name, to: to.name })
    const rows = await sql`
      select account, actor, to_superreseller, to_reseller, clients from tree_move order by id desc limit 2`
    expect(rows).toEqual([
      {
        account: dealer.id,
        actor: world.admin.id,
        to_superreseller: to.id,
        to_reseller: reseller.id,
        clients: 1,
      },
      { account: reseller.id, actor: world.admin.id, to_superreseller: to.id, to_reseller: null, clients: 0 },
    ])
    await expect(ownerSql`update tree_move set clients = 2`).rejects.toThrow('only ever appended')
    await expect(sql`update account set superreseller = 1 where id = ${dealer.id}`).rejects.toThrow('denied')
  })
})

describe('while a dealer is being moved,', () => {
  /** Lets a move wait for the dealer's credits, makes a call that comes after it, and lets both go on. */
  async function madeAfter(
    scene: Family & { other: Person },
    call: () => Promise<{ status: number; body: unknown }>,
    move = () => moveDealer(scene),
  ) {
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${scene.dealer.id} for update`
      const moving = move()
      await somebodyWaits(sql)
      const answer = call()
      await Promise.race([answer, somebodyWaits(sql, 2)])
      return [Promise.all([answer, moving])]
    })
    const [answer] = await answers
    return answer
  }

  function moveDealer({ superreseller, dealer, other }: Family & { other: Person }): Promise<unknown> {
    return superreseller.call(move, { name: dealer.name, to: other.name })
  }

  test('a renewal waits for it, and goes to the books of the new reseller', async () => {
    const scene = await newScene()
    const { dealer, other, client } = scene
    expect(await madeAfter(scene, () => dealer.send(renew, { name: client, months: 1 }))).toMatchObject({
      status: 200,
    })
    expect(await typesOf(other, 'reseller')).toEqual(['USED'])
  })

  const { multirenew, retrieve, save: saveClient } = calls.clients
  test.each([
    ['is renewed', (by: Person, name: string) => by.send(renew, { name, months: 1 })],
    [
      'is renewed with others',
      (by: Person, name: string) => by.send(multirenew, { clients: [name], months: 1 }),
    ],
    ['gives months back', (by: Person, login: string) => by.send(retrieve, { login, credits: 1 })],
    ['is saved', (by: Person, login: string) => by.send(saveClient, { login, desc: 'Upstairs' })],
  ])(
    'a client that %s is counted beneath the superreseller to which its reseller then belongs',
    async (_what, call) => {
      const scene = await newScene()
      const { reseller, dealer, client } = scene
      const there = await world.child(world.admin)
      const answer = await madeAfter(
        scene,
        () => call(dealer, client),
        () => world.admin.call(move, { name: reseller.name, to: there.name }),
      )
      expect(answer).toMatchObject({ status: 200 })
    },
  )

  test('a new client is counted where the dealer then is', async () => {
    const scene = await newScene()
    const { dealer, other } = scene
    const made = await madeAfter(scene, () => dealer.send(calls.clients.create, newClient({ months: 1 })))
    expect(made).toMatchObject({ status: 200 })
    expect(await typesOf(other, 'reseller')).toEqual(['USED'])
  })

  test('a client that the admin deletes is counted where the dealer then is', async () => {
    const scene = await newScene()
    const { other, client } = scene
    const gone = await madeAfter(scene, () => world.admin.send(calls.admin.remove, { name: client }))
    expect(gone).toMatchObject({ status: 200 })
    expect(await typesOf(other, 'reseller')).toEqual(['DELETE'])
  })

  test.each([0, 1] as const)(
    'credits that the old reseller moves (%s) are refused as a stranger’s',
    async (transaction) => {
      const scene = await newScene()
      const { reseller, dealer } = scene
      await world.give(world.admin, scene.superreseller, 1)
      await world.give(scene.superreseller, reseller, 1)
      const moved = await madeAfter(scene, () =>
        reseller.send(save, { name: dealer.name, credits: 1, transaction }),
      )
      expect(moved).toMatchObject({ status: 404, body: { code: 'not_found' } })
    },
  )

  test.each([
    [
      'description',
      (by: Person, name: string) => by.send(save, { name, credits: 0, desc: 'Mine', transaction: ADD }),
    ],
    [
      'password',
      (by: Person, name: string) =>
        by.send(calls.level.dealer.changePassword, { name, password: 'another-password' }),
    ],
  ])('a %s that the old reseller sets is refused as a stranger’s', async (_what, set) => {
    const { superreseller, reseller, dealer, other } = await newScene()
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from account where id = ${dealer.id} for update`
      const moving = superreseller.call(move, { name: dealer.name, to: other.name })
      await somebodyWaits(sql)
      const answer = set(reseller, dealer.name)
      await somebodyWaits(sql, 2)
      return [Promise.all([answer, moving])]
    })
    expect((await answers)[0]).toMatchObject({ status: 404 })
  })

  test('a request for credits that came first is withdrawn', async () => {
    const { superreseller, dealer, other } = await newScene()
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      // The request is made, and not yet committed.
      await sql`select from session where account = ${dealer.id} for update`
      const asking = dealer.call(calls.requests.ask, { credits: 5 })
      await somebodyWaits(sql)
      const moving = superreseller.call(move, { name: dealer.name, to: other.name })
      await Promise.race([moving, somebodyWaits(sql, 2)])
      return [Promise.all([asking, moving])]
    })
    await answers
    expect((await dealer.call(calls.requests.own)).data).toMatchObject([{ state: 'withdrawn' }])
  })

  test('a request whose body arrives after the move is carried out in the new place', async () => {
    const { superreseller, dealer, other, client } = await newScene()
    const finish = hold(dealer, renew, { name: client, months: 1 })
    for (let times = 0; times < 3; times += 1) await dealer.call(calls.session.user)
    await superreseller.call(move, { name: dealer.name, to: other.name })
    expect(await finish()).toBe(200)
    expect(await typesOf(other, 'reseller')).toEqual(['USED'])
  })

  test.each(['before', 'after'])(
    'a login that comes %s it succeeds, and its session counts',
    async (when) => {
      const { dealer, superreseller, other } = await newScene()
      const signIn = () =>
        world.nobody().call(calls.session.login, { login_username: dealer.name, login_password: PASSWORD })
      const moving = () => superreseller.call(move, { name: dealer.name, to: other.name })
      const [answers] = await world.server.ownerSql.begin(async (sql) => {
        await sql`select from account where id = ${dealer.id} for update`
        const signedIn = when === 'before' ? signIn() : null
        if (signedIn) await somebodyWaits(sql)
        const moved = moving()
        await somebodyWaits(sql, signedIn ? 2 : 1)
        const answer = signedIn ?? signIn()
        await Promise.race([answer, somebodyWaits(sql, 2)])
        return [Promise.all([answer, moved])]
      })
      const [{ token }] = await answers
      expect((await world.nobody(token).call(calls.session.user)).name).toBe(dealer.name)
      expect((await other.call(calls.tree.list)).data.map(({ name }) => name)).toContain(dealer.name)
    },
  )

  test('a file that it has a ticket for is still its own', async () => {
    const { superreseller, dealer, other, client } = await newScene()
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    await superreseller.call(move, { name: dealer.name, to: other.name })
    const { status, text } = await world.nobody().fetch('GET', `/v1/exports/${ticket}`)
    expect(status).toBe(200)
    expect(text).toContain(client)
  })

  test('a file of its transactions that its old reseller has a ticket for is no longer there', async () => {
    const { superreseller, reseller, dealer, other } = await newScene()
    const day = world.clock.now.toISOString().slice(0, 10)
    const { ticket } = await reseller.call(calls.desk.reseller.exportTransactions, {
      account: dealer.name,
      from: day,
      to: day,
    })
    await superreseller.call(move, { name: dealer.name, to: other.name })
    const { status, body } = await world.nobody().fetch('GET', `/v1/exports/${ticket}`)
    expect([status, body]).toMatchObject([404, { code: 'not_found' }])
  })

  test('a repeat by the old reseller under the same key returns the stored reply; a new change is refused', async () => {
    const { superreseller, reseller, dealer, other } = await newScene()
    await world.give(world.admin, superreseller, 3)
    await world.give(superreseller, reseller, 3)
    const key = unique()
    const input = { name: dealer.name, credits: 2, transaction: ADD } as const
    const first = await reseller.call(save, input, { key })
    await superreseller.call(move, { name: dealer.name, to: other.name })
    expect(await reseller.call(save, input, { key })).toEqual(first)
    await reseller.refused('not_found', save, input, { key: unique() })
    expect((await other.call(detail, { name: dealer.name })).credits).toBe(10)
  })
})

test('a new MAC of a client waits for the move of its dealer before it locks what the move needs', async () => {
  const { dealer } = await newScene()
  const { name, mac } = await world.client(dealer, { months: 1 })
  const changed = { login: name, stb_mac: uniqueMac(), o_mac: mac, months: 1 }
  const [free, saving] = await world.server.ownerSql.begin(async (sql) => {
    await sql`select from holding where account = ${dealer.id} for update`
    const saving = dealer.call(calls.clients.save, changed)
    await somebodyWaits(sql)
    return [await sql`select from account where id = ${dealer.id} for update skip locked`, [saving]]
  })
  await saving[0]
  expect(free).toHaveLength(1)
})

test('while a reseller is being moved, a dealer that it creates goes along', async () => {
  const { reseller } = await newScene()
  const to = await world.child(world.admin)
  const login = unique()
  const [answers] = await world.server.ownerSql.begin(async (sql) => {
    await sql`select from holding where account = ${reseller.id} for update`
    const creating = reseller.call(calls.level.dealer.create, { login, password: PASSWORD })
    await somebodyWaits(sql)
    const moving = world.admin.call(move, { name: reseller.name, to: to.name })
    await somebodyWaits(sql, 2)
    return [Promise.all([creating, moving])]
  })
  await answers
  expect((await world.admin.call(account, { name: login })).path).toEqual([to.name, reseller.name])
})
