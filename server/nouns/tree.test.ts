import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { PASSWORD, suiteWorld } from '../../test/support/world.ts'

const { list, account, password } = calls.tree

const world = await suiteWorld()

describe('the tree', () => {
  test('shows each role what is beneath it, level by level, with its clients by state', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 90 })
    const second = await world.child(superreseller)
    await world.child(second)
    await world.client(dealer, { months: 1 })
    await world.client(dealer)
    const old = await world.client(dealer)
    await world.setExpiry(old.name, new Date(world.clock.now.getTime() - 1).toISOString())
    await reseller.call(calls.tree.suspend, { name: dealer.name })
    const clients = { clients: 3, active: 2, expiring: 1, expired: 1 }
    const none = { clients: 0, active: 0, expiring: 0, expired: 0 }
    const created = world.clock.now.toISOString()
    const base = { low: false, last_login: null, suspended: false, created, closed: null }
    const pace = { used: 1 }
    const ofDealer = {
      ...base,
      ...clients,
      ...pace,
      name: dealer.name,
      role: 'dealer',
      credits: 89,
      resellers: 0,
      dealers: 0,
      lasts: null,
      suspended: true,
    }
    expect((await reseller.call(list)).data).toEqual([ofDealer])
    expect((await superreseller.call(list, { of: reseller.name })).data).toEqual([ofDealer])
    expect((await world.admin.call(list, { of: reseller.name.toUpperCase() })).data).toEqual([ofDealer])
    const ofResellers = [
      {
        ...base,
        ...clients,
        ...pace,
        name: reseller.name,
        role: 'reseller',
        credits: 0,
        resellers: 0,
        dealers: 1,
        lasts: null,
      },
      {
        ...base,
        ...none,
        name: second.name,
        role: 'reseller',
        credits: 0,
        resellers: 0,
        dealers: 1,
        used: 0,
        lasts: null,
      },
    ]
    expect((await superreseller.call(list)).data).toEqual(ofResellers)
    const top = (await world.admin.call(list)).data.find(({ name }) => name === superreseller.name)
    expect(top).toEqual({
      ...base,
      ...clients,
      ...pace,
      name: superreseller.name,
      role: 'superreseller',
      credits: 0,
      resellers: 2,
      dealers: 2,
      lasts: null,
    })
    expect((await world.admin.call(list, { of: dealer.name })).data).toEqual([])
  })

  test('counts what was used in the last 30 days, less what was taken back, and how long the balance lasts', async () => {
    const { reseller, dealer } = await world.family({ credits: 100 })
    const first = await world.client(dealer, { months: 7 })
    world.clock.pass({ days: 31 })
    const row = async () => (await reseller.call(list)).data[0]
    expect(await row()).toMatchObject({ credits: 93, used: 0, lasts: null })
    const { name } = await world.client(dealer, { months: 12 })
    await dealer.call(calls.clients.retrieve, { login: name, credits: 2 })
    await dealer.call(calls.clients.retrieve, { login: first.name, credits: 1 })
    world.clock.pass({ days: 29 })
    expect(await row()).toMatchObject({ credits: 84, used: 9, lasts: 280 })
    world.clock.pass({ days: 2 })
    expect(await row()).toMatchObject({ credits: 84, used: 0, lasts: null })
  })

  test('measures the pace of a young account by its age, and tells none on its first day', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 100 })
    const lasts = async (person: typeof reseller) => (await person.call(list)).data[0]?.lasts
    await world.client(dealer, { months: 4 })
    expect(await lasts(reseller)).toBe(null)
    world.clock.pass({ days: 1, seconds: -1 })
    expect(await lasts(reseller)).toBe(null)
    world.clock.pass({ seconds: 1 })
    expect(await lasts(reseller)).toBe(24)
    expect(await lasts(superreseller)).toBe(0)
    world.clock.pass({ days: 1, hours: 12 })
    expect(await lasts(reseller)).toBe(60)
    world.clock.pass({ days: 27, hours: 11 })
    expect(await lasts(reseller)).toBe(719)
  })

  test('measures the pace of a young account by the age of an older dealer that was moved to it', async () => {
    const { superreseller, dealer } = await world.family({ credits: 100 })
    for (let day = 0; day < 20; day += 1) {
      await world.client(dealer, { months: 2 })
      world.clock.pass({ days: 1 })
    }
    const young = await world.child(superreseller)
    await superreseller.call(calls.tree.move, { name: dealer.name, to: young.name })
    await world.give(world.admin, superreseller, 40)
    await world.give(superreseller, young, 40)
    const row = async () => (await superreseller.call(list)).data.find(({ name }) => name === young.name)
    expect(await row()).toMatchObject({ credits: 40, used: 40, lasts: 20 })
  })

  test('counts what a dealer used that was closed since, whose clients are with another', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 100 })
    const other = await world.child(reseller)
    await world.client(dealer, { months: 9 })
    const rows = async () => [(await superreseller.call(list)).data[0], (await reseller.call(list)).data]
    await world.clock.pass({ days: 3 })
    await reseller.call(calls.tree.moveClients, { from: dealer.name, to: other.name })
    await reseller.call(calls.tree.close, { name: dealer.name })
    expect(await rows()).toMatchObject([{ dealers: 1, used: 9 }, [{ name: other.name, used: 0 }]])
    expect((await reseller.call(list, { show: 'closed' })).data).toMatchObject([
      { name: dealer.name, dealers: 0, used: 9, lasts: null },
    ])
    world.clock.pass({ days: 28 })
    expect(await rows()).toMatchObject([{ dealers: 1, used: 0 }, [{ used: 0 }]])
  })

  test('leaves out what was used more than 30 days ago, even if the renewal that began first was committed last', async () => {
    const { reseller, dealer } = await world.family({ credits: 100 })
    const slow = await world.client(dealer, { months: 1 })
    const quick = await world.client(dealer, { months: 1 })
    const { ownerSql } = world.server
    const release = await holdOpen(
      ownerSql,
      (open) => open`select from client where name = ${slow.name} for update`,
    )
    const renewing = dealer.call(calls.clients.renew, { name: slow.name, months: 12 })
    await somebodyWaits(world.server.sql)
    world.clock.pass({ seconds: 1 })
    await dealer.call(calls.clients.renew, { name: quick.name, months: 1 })
    await Promise.all([release(), renewing])
    world.clock.pass({ days: 31 })
    expect((await reseller.call(list)).data[0]).toMatchObject({ credits: 85, used: 0, lasts: null })
  })

  test('says when an account last signed in', async () => {
    const { reseller, dealer } = await world.family()
    await world.signIn(dealer.name)
    world.clock.pass({ minutes: 5 })
    await world.signIn(dealer.name)
    const last_login = world.clock.now.toISOString()
    world.clock.pass({ minutes: 5 })
    await world.nobody().refused('wrong_login', calls.session.login, {
      login_username: dealer.name,
      login_password: 'not-the-password',
    })
    expect((await reseller.call(list)).data[0]).toMatchObject({ last_login })
    expect(await reseller.call(account, { name: dealer.name })).toMatchObject({ last_login })
  })

  test('leads to each account beneath by the names between, and to no other account', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const stranger = await world.family()
    const { name } = dealer
    const pathFor = async (person: typeof reseller) => (await person.call(account, { name })).path
    expect(await pathFor(world.admin)).toEqual([superreseller.name, reseller.name])
    expect(await pathFor(superreseller)).toEqual([reseller.name])
    expect(await pathFor(reseller)).toEqual([])
    for (const other of [stranger.dealer, stranger.reseller, superreseller, reseller, world.admin]) {
      await reseller.refused('not_found', account, { name: other.name })
      await reseller.refused('not_found', list, { of: other.name })
    }
    await dealer.refused('wrong_role', list)
  })
})

test('the admin sets the password of any account, and its sessions end', async () => {
  const { dealer } = await world.family()
  await world.admin.call(password, { name: dealer.name, password: 'set-by-the-admin' })
  await dealer.refused('no_session', calls.session.user)
  expect((await world.signIn(dealer.name, 'set-by-the-admin')).name).toBe(dealer.name)
  await world.nobody().refused('wrong_login', calls.session.login, {
    login_username: dealer.name,
    login_password: PASSWORD,
  })
  await world.admin.refused('not_found', password, { name: world.admin.name, password: 'another-password' })
})
