import { afterEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { hold, holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { newClient, PASSWORD, type Person, suiteWorld, unique } from '../../test/support/world.ts'
import { PLAYED } from '../verify/guards.ts'
import { verify } from '../verify/verify.ts'

const { close, move, account, list } = calls.tree
const { detail, save, create } = calls.level.dealer
const ADD = 0

const world = await suiteWorld()
afterEach(async () => {
  expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
})

function signIn({ name }: Pick<Person, 'name'>) {
  return world.nobody().send(calls.session.login, { login_username: name, login_password: PASSWORD })
}

describe('a closed account', () => {
  test('is in no count of its superreseller: not in the list, the tree or the statistics', async () => {
    const { superreseller } = await world.family()
    const { name } = await world.child(superreseller)
    const counts = async () => {
      const isIt = (row: { name: string }) => row.name === superreseller.name
      const listed = (await world.admin.call(calls.level.superreseller.list)).data.find(isIt)
      const inTree = (await world.admin.call(list)).data.find(isIt)
      const today = (await world.admin.call(calls.admin.statistics, { name: superreseller.name })).at(-1)
      return [listed?.resellers, inTree?.resellers, today?.resellers]
    }
    expect(await counts()).toEqual([2, 2, 2])
    await superreseller.call(close, { name })
    expect(await counts()).toEqual([1, 1, 1])
  })

  test('gives its balance to its parent, as a REMOVE, and no row where there was none', async () => {
    const { reseller, dealer } = await world.family({ credits: 7 })
    const { name } = dealer
    expect(await reseller.call(close, { name })).toEqual({ status: 'OK', credits: 7 })
    expect((await reseller.call(calls.credits.reseller)).credits).toBe(7)
    const [newest] = await reseller.call(calls.desk.reseller.transactions)
    expect(newest).toMatchObject({ type: 'REMOVE', credits: 7, login: name, actor: reseller.name })
    const poor = await world.child(reseller)
    expect(await reseller.call(close, { name: poor.name })).toEqual({ status: 'OK', credits: 0 })
    expect((await reseller.call(calls.desk.reseller.transactions))[0]).toEqual(newest)
  })

  test('cannot sign in, has no session, password, preferences or open request, and its name stays taken', async () => {
    const { reseller, dealer } = await world.family()
    const { name } = dealer
    await dealer.call(calls.session.savePreferences, { shortcuts: true })
    const { id } = await dealer.call(calls.requests.ask, { credits: 5 })
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    await reseller.call(close, { name })
    await dealer.refused('no_session', calls.session.user)
    expect((await world.nobody().fetch('GET', `/v1/exports/${ticket}`)).status).toBe(404)
    expect(await signIn(dealer)).toMatchObject({ status: 401, body: { code: 'wrong_login' } })
    await reseller.refused('name_taken', create, { login: name.toUpperCase(), password: PASSWORD })
    const { sql } = world.server
    expect(await sql`select password, preferences from account where id = ${dealer.id}`).toEqual([
      { password: '', preferences: {} },
    ])
    expect(await sql`select state from credit_request where id = ${id}`).toEqual([{ state: 'declined' }])
    expect(await reseller.call(calls.requests.list)).toMatchObject({
      data: [],
      ended: [{ id, name, state: 'declined' }],
    })
  })

  test('is not opened again, whatever the server would say', async () => {
    const { reseller, dealer } = await world.family()
    await reseller.call(close, { name: dealer.name })
    const { sql } = world.server
    for (const moment of [null, new Date(0)])
      await expect(sql`update account set closed = ${moment} where id = ${dealer.id}`).rejects.toMatchObject({
        code: '42501',
      })
  })

  test('is in no list, count, /users or statistic, but in the tree’s filter, with its history', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 7 })
    const { name } = dealer
    await reseller.call(close, { name })
    await reseller.refused('not_found', detail, { name })
    await reseller.refused('not_found', save, { name, credits: 1, transaction: ADD })
    for (const call of [calls.tree.suspend, calls.tree.lift, close])
      await reseller.refused('not_found', call, { name })
    await superreseller.refused('not_found', move, { name, to: reseller.name })
    expect((await reseller.call(calls.level.dealer.list)).count).toBe(0)
    expect((await reseller.call(calls.session.users)).map((one) => one.name)).toEqual([reseller.name])
    expect(
      (await world.admin.call(calls.admin.statistics, { name: superreseller.name })).at(-1),
    ).toMatchObject({
      resellers: 1,
      dealers: 0,
    })
    expect((await reseller.call(list)).data).toEqual([])
    const closed = world.clock.now.toISOString()
    expect((await reseller.call(list, { show: 'closed' })).data).toMatchObject([{ name, credits: 0, closed }])
    expect(await superreseller.call(account, { name })).toMatchObject({ name, closed })
    expect((await superreseller.call(account, { name: reseller.name })).beneath.dealers).toBe(0)
    expect((await reseller.call(calls.transactions.list, { account: name })).count).toBe(2)
  })

  test('of a superreseller leaves the finished days of the totals as they were', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    world.clock.pass({ days: 1 })
    const before = await world.admin.call(calls.admin.totals)
    await reseller.call(close, { name: dealer.name })
    await superreseller.call(close, { name: reseller.name })
    await world.admin.call(close, { name: superreseller.name })
    expect(await world.admin.call(calls.admin.totals)).toEqual(before)
    await world.admin.refused('not_found', calls.admin.statistics, { name: superreseller.name })
  })
})

describe('closing', () => {
  test('needs nothing beneath, and says what is in the way', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const { name: client } = await world.client(dealer)
    const refused = async (by: Person, { name }: Person) =>
      (await by.refused('not_empty', close, { name })).message
    expect(await refused(superreseller, reseller)).toBe(
      `${reseller.name} has 1 dealer. Only an empty account can be closed.`,
    )
    expect(await refused(reseller, dealer)).toBe(
      `${dealer.name} has 1 client. Only an empty account can be closed.`,
    )
    await world.admin.call(calls.admin.remove, { name: client })
    await reseller.call(close, { name: dealer.name })
    await superreseller.call(close, { name: reseller.name })
  })

  test('is done by the direct parent or the admin alone, who may be the actor of its REMOVE', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 3 })
    const { name } = dealer
    await superreseller.refused('not_found', close, { name })
    await reseller.refused('not_found', close, { name: reseller.name })
    await world.admin.refused('not_found', close, { name: world.admin.name })
    await dealer.refused('wrong_role', close, { name })
    await world.admin.call(close, { name })
    expect((await reseller.call(calls.credits.reseller)).credits).toBe(3)
    expect((await reseller.call(calls.desk.reseller.transactions))[0]).toMatchObject({
      type: 'REMOVE',
      actor: '—',
    })
  })
})

describe('while an account is being closed,', () => {
  /** Lets the closing wait for the dealer's credits, makes a call that comes after it, and lets both go on. */
  async function madeAfter(
    reseller: Person,
    dealer: Person,
    call: () => Promise<{ status: number; body: unknown }>,
  ) {
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${dealer.id} for update`
      const closing = reseller.call(close, { name: dealer.name })
      await somebodyWaits(sql)
      const answer = call()
      await Promise.race([answer, somebodyWaits(sql, 2)])
      return [Promise.all([answer, closing])]
    })
    return (await answers)[0]
  }

  test('a description that is being saved is the one that its last row keeps', async () => {
    const { reseller, dealer } = await world.family({ credits: 5 })
    const end = await holdOpen(
      world.server.ownerSql,
      (sql) => sql`update account set description = 'Paid until May' where id = ${dealer.id}`,
    )
    const closing = reseller.call(close, { name: dealer.name })
    await somebodyWaits(world.server.sql)
    await end()
    await closing
    const [last] = await world.server.sql`
      select type, description from transfer where login = ${dealer.name} order by id desc limit 1`
    expect(last).toEqual({ type: 'REMOVE', description: 'Paid until May' })
  })

  test('a new client that comes too late is refused, and one that came first is in the way', async () => {
    const { reseller, dealer } = await world.family({ credits: 5 })
    const late = await madeAfter(reseller, dealer, () =>
      dealer.send(calls.clients.create, newClient({ months: 1 })),
    )
    expect(late.status).toBeGreaterThanOrEqual(400)
    expect(await world.server.sql`select from client where dealer = ${dealer.id}`).toEqual([])
    const sibling = await world.child(reseller, 2)
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${sibling.id} for update`
      const creating = sibling.call(calls.clients.create, newClient({ months: 1 }))
      await somebodyWaits(sql)
      const closing = reseller.send(close, { name: sibling.name })
      await somebodyWaits(sql, 2)
      return [Promise.all([closing, creating])]
    })
    const [closing] = await answers
    expect(closing).toMatchObject({ status: 400, body: { code: 'not_empty' } })
  })

  test('credits that its parent moves are refused', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 5 })
    await world.give(world.admin, superreseller, 1)
    await world.give(superreseller, reseller, 1)
    const late = await madeAfter(reseller, dealer, () =>
      reseller.send(save, { name: dealer.name, credits: 1, transaction: ADD }),
    )
    expect(late).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await reseller.call(calls.credits.reseller)).credits).toBe(6)
  })

  test('a dealer that the account creates is in the way, or refused', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    await reseller.call(close, { name: dealer.name })
    const login = unique()
    const made = await madeAfter(superreseller, reseller, () =>
      reseller.send(create, { login, password: PASSWORD }),
    )
    expect(made).toMatchObject({ status: 401 })
    expect(await world.server.sql`select from account where name = ${login}`).toEqual([])
  })

  test('a request for credits that came first is declined', async () => {
    const { reseller, dealer } = await world.family()
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      // The request is made, and not yet committed.
      await sql`select from session where account = ${dealer.id} for update`
      const asking = dealer.call(calls.requests.ask, { credits: 5 })
      await somebodyWaits(sql)
      const closing = reseller.call(close, { name: dealer.name })
      await somebodyWaits(sql, 2)
      return [Promise.all([asking, closing])]
    })
    const [{ id }] = await answers
    expect(await world.server.sql`select state from credit_request where id = ${id}`).toEqual([
      { state: 'declined' },
    ])
  })

  test('a request whose body arrives after the closing is refused', async () => {
    const { reseller, dealer } = await world.family({ credits: 5 })
    const own = await world.signIn(dealer.name)
    const finish = hold(own, calls.clients.create, newClient({ months: 1 }))
    for (let times = 0; times < 3; times += 1) await own.call(calls.session.user)
    await reseller.call(close, { name: dealer.name })
    expect(await finish()).toBe(401)
  })

  test('preferences that wait for it are not stored', async () => {
    const { reseller, dealer } = await world.family()
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from account where id = ${dealer.id} for update`
      const closing = reseller.call(close, { name: dealer.name })
      await somebodyWaits(world.server.sql)
      const saving = dealer.send(calls.session.savePreferences, { shortcuts: false })
      await somebodyWaits(world.server.sql, 2)
      return [Promise.all([saving, closing])]
    })
    expect((await answers)[0]).toMatchObject({ status: 401, body: { code: 'no_session' } })
  })

  test.each(['before', 'after'])('a login that comes %s it leaves no session', async (when) => {
    const { reseller, dealer } = await world.family()
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from account where id = ${dealer.id} for update`
      const first = when === 'before' ? signIn(dealer) : reseller.call(close, { name: dealer.name })
      await somebodyWaits(sql)
      const second = when === 'before' ? reseller.call(close, { name: dealer.name }) : signIn(dealer)
      await Promise.race([second, somebodyWaits(sql, 2)])
      return [Promise.all([first, second])]
    })
    await answers
    expect(await world.server.sql`select from session where account = ${dealer.id}`).toEqual([])
  })

  test('a repeat of the closing under the same key returns the stored reply and does nothing', async () => {
    const { reseller, dealer } = await world.family({ credits: 4 })
    const key = unique()
    const first = await reseller.call(close, { name: dealer.name }, { key })
    expect(await reseller.call(close, { name: dealer.name }, { key })).toEqual(first)
    expect((await reseller.call(calls.credits.reseller)).credits).toBe(4)
  })
})
