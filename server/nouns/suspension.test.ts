import { afterEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { hold, somebodyWaits } from '../../test/support/hold.ts'
import { type Family, PASSWORD, type Person, suiteWorld, unique } from '../../test/support/world.ts'

const { account, suspend, lift } = calls.tree
const { login, user } = calls.session
const { renew } = calls.clients
const ADD = 0
const REMOVE = 1

const world = await suiteWorld()
// All come from one address: what one test got wrong is no longer counted in the next.
afterEach(() => world.clock.pass({ minutes: 16 }))

function signIn({ name }: Person, login_password = PASSWORD) {
  return world.nobody().send(login, { login_username: name, login_password })
}

describe('a suspended account', () => {
  test('cannot sign in, and reads whom to contact after the right password only', async () => {
    const { reseller, dealer } = await world.family()
    await reseller.call(suspend, { name: dealer.name, reason: 'Owes 40 credits' })
    expect(await signIn(dealer)).toMatchObject({
      status: 403,
      body: {
        code: 'suspended',
        message: `Your account is suspended. Please contact ${reseller.name}.`,
      },
    })
    expect(await signIn(dealer, 'wrong-password')).toMatchObject({
      status: 401,
      body: { code: 'wrong_login', message: 'The username or the password is wrong.' },
    })
    await reseller.call(lift, { name: dealer.name })
    expect((await signIn(dealer)).status).toBe(200)
  })

  test('stops those beneath too, who read of nobody above their own parent', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    await world.admin.call(suspend, { name: superreseller.name })
    for (const person of [reseller, dealer]) {
      const { body } = await signIn(person)
      expect(body).toMatchObject({
        code: 'suspended',
        message: 'Your account is suspended. Please contact your provider.',
      })
    }
    expect((await signIn(superreseller)).body).toMatchObject({
      message: `Your account is suspended. Please contact ${world.admin.name}.`,
    })
  })

  test('loses its sessions and tickets at once, and so do those beneath, but nobody else', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const sibling = await world.child(superreseller)
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    await superreseller.call(suspend, { name: reseller.name })
    for (const person of [reseller, dealer]) await person.refused('no_session', user)
    expect((await world.nobody().fetch('GET', `/v1/exports/${ticket}`)).status).toBe(404)
    for (const person of [superreseller, sibling, world.admin]) await person.call(user)
    const sessions = await world.server.sql`
      select from session where account = any (${[reseller.id, dealer.id]}::bigint[])`
    expect(sessions).toEqual([])
  })

  test('uses up no tries: its right password is no wrong login', async () => {
    const { reseller, dealer } = await world.family()
    await reseller.call(suspend, { name: dealer.name })
    for (let tries = 0; tries < 25; tries += 1) expect((await signIn(dealer)).status).toBe(403)
  })

  test('stays suspended as long as one above it is: lifting one leaves the others', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    await reseller.call(suspend, { name: dealer.name })
    await superreseller.call(suspend, { name: reseller.name })
    await superreseller.call(lift, { name: dealer.name })
    expect((await signIn(dealer)).body).toMatchObject({ message: expect.stringContaining('your provider') })
    await superreseller.call(lift, { name: reseller.name })
    expect((await signIn(dealer)).status).toBe(200)
  })

  test('gives credits back to its parent, but gets none', async () => {
    const { reseller, dealer } = await world.family({ credits: 9 })
    const { save, detail } = calls.level.dealer
    const { name } = dealer
    await reseller.call(suspend, { name })
    expect(await reseller.call(save, { name, credits: 4, transaction: REMOVE })).toMatchObject({ credits: 5 })
    const { message } = await reseller.refused('account_suspended', save, {
      name,
      credits: 1,
      transaction: ADD,
    })
    expect(message).toBe(`${name} is suspended. Credits can be added once its suspension is lifted.`)
    expect(await reseller.call(detail, { name })).toMatchObject({ credits: 5 })
    await reseller.call(lift, { name })
    await reseller.call(save, { name, credits: 1, transaction: ADD })
  })

  test('lets no session of an account beneath it act, even one that was left', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 3 })
    const { name } = await world.client(dealer, { months: 1 })
    await superreseller.call(suspend, { name: reseller.name })
    // As a move of the dealer under the suspended reseller could leave it.
    const left = await world.again(dealer)
    await left.refused('suspended', user)
    await left.refused('suspended', calls.clients.list)
    await left.refused('suspended', calls.clients.renew, { name, months: 1 })
    const rows = await world.server.sql`select 1 from transfer where login = ${name} and type = 'USED'`
    expect(rows).toHaveLength(1)
  })
})

describe('a suspension', () => {
  test('is set by the direct parent or the admin alone', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    await superreseller.refused('not_found', suspend, { name: dealer.name })
    await reseller.refused('not_found', suspend, { name: reseller.name })
    await world.admin.refused('not_found', suspend, { name: world.admin.name })
    await dealer.refused('wrong_role', suspend, { name: dealer.name })
    await reseller.call(suspend, { name: dealer.name.toUpperCase() })
    await world.admin.call(suspend, { name: (await world.family()).dealer.name })
  })

  test.each<[by: 'admin' | 'superreseller' | 'reseller', lifts: string[]]>([
    ['reseller', ['reseller', 'superreseller', 'admin']],
    ['admin', ['admin']],
  ])('of a dealer by its %s is lifted by %j', async (by, lifts) => {
    const family = await world.family()
    const people = { admin: world.admin, ...family }
    const { name } = family.dealer
    for (const lifter of ['reseller', 'superreseller', 'admin'] as const) {
      await people[by].call(suspend, { name })
      const mayLift = lifts.includes(lifter)
      expect((await people[lifter].call(account, { name })).suspension).toMatchObject({ liftable: mayLift })
      if (mayLift) await people[lifter].call(lift, { name })
      else {
        await people[lifter].refused('account_suspended', lift, { name })
        await people[lifter].refused(lifter === 'reseller' ? 'account_suspended' : 'not_found', suspend, {
          name,
        })
        await world.admin.call(lift, { name })
      }
    }
  })

  test('is lifted once', async () => {
    const { reseller, dealer } = await world.family()
    await reseller.refused('changed_since', lift, { name: dealer.name })
    await reseller.call(suspend, { name: dealer.name })
    await reseller.call(lift, { name: dealer.name })
    await reseller.refused('changed_since', lift, { name: dealer.name })
  })

  test('that somebody else has set or replaced since the caller looked is neither replaced nor lifted', async () => {
    const { reseller, dealer } = await world.family()
    const { name } = dealer
    const present = async () => (await world.admin.call(account, { name })).suspension
    await reseller.call(suspend, { name, reason: 'Owes 40', service_too: true })
    const { message } = await world.admin.refused('changed_since', suspend, { name, seen: null })
    expect(message).toBe(`The suspension of ${name} has changed in the meantime. Please look again.`)
    await world.admin.refused('changed_since', lift, { name, seen: null })
    const first = await present()
    expect(first).toMatchObject({ by: reseller.name, reason: 'Owes 40', service_too: true })
    world.clock.pass({ minutes: 1 })
    await reseller.call(suspend, { name, reason: 'Owes 60', service_too: true, seen: first?.since })
    await world.admin.refused('changed_since', suspend, { name, seen: first?.since })
    await world.admin.refused('changed_since', lift, { name, seen: first?.since })
    const second = await present()
    expect(second).toMatchObject({ by: reseller.name, reason: 'Owes 60', service_too: true })
    await world.admin.call(suspend, { name, seen: second?.since })
    expect(await present()).toMatchObject({ by: world.admin.name, service_too: false })
    await world.admin.call(lift, { name, seen: (await present())?.since })
    await world.admin.refused('changed_since', suspend, { name, seen: second?.since })
    expect(await present()).toBeNull()
    await world.admin.call(suspend, { name, seen: null })
  })

  test('that is being set is waited for before it is judged whether it is the one that was seen', async () => {
    const { reseller, dealer } = await world.family()
    const { name } = dealer
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from account where id = ${dealer.id} for update`
      const first = reseller.send(suspend, { name, service_too: true, seen: null })
      await somebodyWaits(sql)
      const second = world.admin.send(suspend, { name, seen: null })
      await somebodyWaits(sql, 2)
      return [Promise.all([first, second])]
    })
    const [first, second] = await answers
    expect(first.status).toBe(200)
    expect(second).toMatchObject({ status: 409, body: { code: 'changed_since' } })
    expect((await world.admin.call(account, { name })).suspension).toMatchObject({
      by: reseller.name,
      service_too: true,
    })
  })

  test('keeps its reason and who set it, also once it is lifted, and is replaced by a new one', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const { name } = dealer
    await reseller.call(suspend, { name, reason: 'Owes 40' })
    await reseller.call(suspend, { name, reason: 'Owes 60', service_too: true })
    expect((await superreseller.call(account, { name })).suspension).toEqual({
      since: world.clock.now.toISOString(),
      by: reseller.name,
      reason: 'Owes 60',
      service_too: true,
      liftable: true,
    })
    await superreseller.call(lift, { name })
    const rows = await world.server.sql`
      select reason, actor, lifted_by from suspension where account = ${dealer.id} order by id`
    expect(rows).toEqual([
      { reason: 'Owes 40', actor: reseller.id, lifted_by: reseller.id },
      { reason: 'Owes 60', actor: reseller.id, lifted_by: superreseller.id },
    ])
  })

  test('is not lifted by a new parent, who neither set it nor stands above who did', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const { name } = dealer
    const next = await world.child(superreseller)
    await reseller.call(suspend, { name, reason: 'Owes 40' })
    await superreseller.call(calls.tree.move, { name, to: next.name })
    expect((await next.call(account, { name })).suspension).toMatchObject({ liftable: false, reason: '' })
    await next.refused('account_suspended', lift, { name })
    await next.refused('account_suspended', suspend, { name, reason: 'Mine' })
    // Who set it does not reach the account any more.
    await reseller.refused('not_found', lift, { name })
    expect((await superreseller.call(account, { name })).suspension).toMatchObject({ liftable: true })
    await superreseller.call(lift, { name })
    expect((await next.call(account, { name })).suspension).toBeNull()
  })

  test('set above the parent hides its reason from those between, and from the parent also who set it', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const { name } = dealer
    await world.admin.call(suspend, { name, reason: `Ask ${superreseller.name}` })
    expect((await reseller.call(account, { name })).suspension).toMatchObject({
      by: '—',
      reason: '',
      liftable: false,
    })
    expect((await superreseller.call(account, { name })).suspension).toMatchObject({
      by: world.admin.name,
      reason: '',
      liftable: false,
    })
    expect((await world.admin.call(account, { name })).suspension).toMatchObject({
      reason: `Ask ${superreseller.name}`,
      liftable: true,
    })
  })
})

describe('an account beneath', () => {
  test('is shown with what is beneath it, and what of it is suspended', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 9 })
    await world.child(reseller)
    await world.client(dealer, { months: 1 })
    const old = await world.client(dealer)
    await world.setExpiry(old.name, new Date(world.clock.now.getTime() - 1).toISOString())
    const off = await world.client(dealer, { months: 1 })
    await dealer.call(calls.clients.multisave, { clients: [off.name], status: false })
    expect(await superreseller.call(account, { name: reseller.name })).toEqual({
      name: reseller.name,
      role: 'reseller',
      parent: superreseller.name,
      credits: 0,
      low: false,
      low_below: null,
      closed: null,
      created: expect.any(String),
      beneath: { resellers: 0, dealers: 2, clients: 3, served: 1 },
      suspension: null,
      suspended_above: false,
      held_above: false,
      service_stopped: false,
      last_login: null,
      path: [],
    })
    expect((await world.admin.call(account, { name: superreseller.name })).beneath).toEqual({
      resellers: 1,
      dealers: 2,
      clients: 3,
      served: 1,
    })
    await superreseller.call(suspend, { name: reseller.name })
    expect(await superreseller.call(account, { name: dealer.name })).toMatchObject({
      credits: 7,
      beneath: { resellers: 0, dealers: 0, clients: 3, served: 1 },
      suspension: null,
      suspended_above: true,
      held_above: false,
      service_stopped: false,
    })
    await superreseller.call(lift, { name: reseller.name })
    await world.admin.call(suspend, { name: reseller.name })
    expect(await superreseller.call(account, { name: dealer.name })).toMatchObject({
      suspended_above: true,
      held_above: true,
    })
  })

  test('is shown without clients that are served, where it or one above it is suspended with service', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 9 })
    const sibling = await world.child(reseller)
    for (const [owner, months] of [
      [dealer, 1],
      [dealer, 2],
      [sibling, 0],
    ] as const)
      await world.client(owner, { months })
    const off = await world.client(dealer, { months: 1 })
    await dealer.call(calls.clients.multisave, { clients: [off.name], status: false })
    const shown = (name: string) => superreseller.call(account, { name })
    await reseller.call(suspend, { name: dealer.name, service_too: true })
    expect(await shown(dealer.name)).toMatchObject({
      beneath: { clients: 3, served: 0 },
      service_stopped: true,
    })
    expect(await shown(reseller.name)).toMatchObject({
      beneath: { clients: 4, served: 1 },
      service_stopped: false,
    })
    await superreseller.call(suspend, { name: reseller.name, service_too: true })
    expect(await shown(sibling.name)).toMatchObject({
      beneath: { clients: 1, served: 0 },
      suspension: null,
      suspended_above: true,
      service_stopped: true,
    })
    expect((await world.admin.call(account, { name: superreseller.name })).beneath.served).toBe(0)
  })
})

describe('while an account is being suspended,', () => {
  type Scene = Family & { own: Person; client: string }

  async function newScene(): Promise<Scene> {
    const family = await world.family({ credits: 5 })
    const { name: client } = await world.client(family.dealer, { months: 1 })
    return { ...family, own: await world.signIn(family.dealer.name), client }
  }

  /** Who is suspended, and by whom: the dealer itself, or one above it. */
  const SUSPENDED: [
    which: string,
    stop: (scene: Scene) => Promise<unknown>,
    allow: (scene: Scene) => Promise<unknown>,
    target: (scene: Scene) => Person,
  ][] = [
    [
      'itself',
      ({ reseller, dealer: { name } }) => reseller.call(suspend, { name }),
      ({ reseller, dealer: { name } }) => reseller.call(lift, { name }),
      ({ dealer }) => dealer,
    ],
    [
      'with its superreseller',
      ({ superreseller: { name } }) => world.admin.call(suspend, { name }),
      ({ superreseller: { name } }) => world.admin.call(lift, { name }),
      ({ superreseller }) => superreseller,
    ],
  ]

  test.each(SUSPENDED)(
    'a renewal of a dealer suspended %s whose body is still to come is refused, and spends nothing',
    async (_which, stop, allow) => {
      const scene = await newScene()
      const finish = hold(scene.own, renew, { name: scene.client, months: 1 })
      // What comes later on other connections is answered later.
      for (let times = 0; times < 3; times += 1) await scene.own.call(user)
      await stop(scene)
      expect(await finish()).toBe(403)
      await allow(scene)
      expect((await signIn(scene.dealer)).body).toMatchObject({ credits: 4 })
    },
  )

  test('a renewal that waits for its credits is refused, and its key stays free', async () => {
    const scene = await newScene()
    const { superreseller, dealer, own, client } = scene
    const input = { name: client, months: 1 }
    const key = unique()
    const [answer] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${dealer.id} for update`
      const answer = own.send(renew, input, { key })
      await somebodyWaits(sql)
      await world.admin.call(suspend, { name: superreseller.name })
      return [answer]
    })
    expect(await answer).toMatchObject({ status: 403, body: { code: 'suspended' } })
    await world.admin.call(lift, { name: superreseller.name })
    expect((await (await world.signIn(dealer.name)).call(renew, input, { key })).credits).toBe(3)
  })

  test('a renewal that waits for the credits of the suspended account itself is refused', async () => {
    const { reseller, dealer, own, client } = await newScene()
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${dealer.id} for update`
      const stopping = reseller.call(suspend, { name: dealer.name })
      await somebodyWaits(sql)
      const answer = own.send(renew, { name: client, months: 1 })
      await somebodyWaits(sql, 2)
      return [Promise.all([answer, stopping])]
    })
    const [answer] = await answers
    expect(answer).toMatchObject({ status: 403, body: { code: 'suspended' } })
    expect((await reseller.call(calls.level.dealer.detail, { name: dealer.name })).credits).toBe(4)
  })

  test('once it is lifted, a repeat of a renewal under the same key returns the stored reply and does nothing', async () => {
    const { reseller, dealer, own, client } = await newScene()
    const input = { name: client, months: 1 }
    const key = unique()
    const first = await own.call(renew, input, { key })
    await reseller.call(suspend, { name: dealer.name })
    // It was in use a moment ago, so that the refusal says why it has ended.
    await own.refused('suspended', renew, input, { key })
    await reseller.call(lift, { name: dealer.name })
    const again = await world.signIn(dealer.name)
    expect(await again.call(renew, input, { key })).toEqual(first)
    expect((await again.call(calls.credits.dealer)).credits).toBe(3)
  })

  test.each(SUSPENDED)(
    'a login of a dealer suspended %s is refused',
    async (_which, stop, _allow, target) => {
      const scene = await newScene()
      const [answers] = await world.server.ownerSql.begin(async (sql) => {
        await sql`select from account where id = ${target(scene).id} for update`
        const stopping = stop(scene)
        await somebodyWaits(sql)
        const answer = signIn(scene.dealer)
        await Promise.race([answer, somebodyWaits(sql, 2)])
        return [Promise.all([answer, stopping])]
      })
      const [signedIn] = await answers
      expect(signedIn).toMatchObject({ status: 403, body: { code: 'suspended' } })
      expect(await sessionsOf(scene)).toEqual([])
    },
  )

  test.each(SUSPENDED)(
    'a login of a dealer suspended %s that came first loses its session',
    async (_which, stop, _allow, target) => {
      const scene = await newScene()
      const [answers] = await world.server.ownerSql.begin(async (sql) => {
        await sql`select from account where id = ${target(scene).id} for update`
        const answer = signIn(scene.dealer)
        await somebodyWaits(sql)
        const stopping = stop(scene)
        await somebodyWaits(sql, 2)
        return [Promise.all([answer, stopping])]
      })
      const [{ status, body }] = await answers
      if (status === 200) await world.nobody((body as { token: string }).token).refused('no_session', user)
      expect(await sessionsOf(scene)).toEqual([])
    },
  )

  test('credits that its parent adds meanwhile are refused', async () => {
    const scene = await newScene()
    const { name, id } = scene.dealer
    await scene.reseller.call(calls.level.dealer.save, { name, credits: 2, transaction: REMOVE })
    const [answers] = await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${id} for update`
      const stopping = scene.reseller.send(suspend, { name })
      await somebodyWaits(sql)
      const adding = scene.reseller.send(calls.level.dealer.save, { name, credits: 2, transaction: ADD })
      await somebodyWaits(sql, 2)
      return [Promise.all([adding, stopping])]
    })
    const [added, stopped] = await answers
    expect([added.status, stopped.status]).toEqual([400, 200])
    expect((await scene.reseller.call(calls.level.dealer.detail, { name })).credits).toBe(2)
  })

  function sessionsOf({ dealer }: Family) {
    return world.server.sql`select from session where account = ${dealer.id}`
  }
})
