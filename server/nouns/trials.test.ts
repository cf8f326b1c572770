import { once } from 'node:events'
import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { newClient, suiteWorld, uniqueMac } from '../../test/support/world.ts'

const { trials } = calls.clients

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '2' }, connections: 10 })

test('the trials that are left today are known before one is given, and are as many again tomorrow', async () => {
  const { dealer } = await world.family({ credits: 1 })
  const left = async () => (await dealer.call(trials, {})).left
  expect(await dealer.call(trials, {})).toEqual({ a_day: 2, left: 2, mac_had: false })
  await world.client(dealer, { months: 1 })
  expect(await left()).toBe(2)
  await world.client(dealer)
  await world.client(dealer)
  expect(await left()).toBe(0)
  world.clock.pass({ days: 1 })
  expect(await left()).toBe(2)
})

test('a trial that had to wait for its turn until after midnight ends on the new day', async () => {
  const { dealer } = await world.family({ credits: 9 })
  world.clock.set('2026-05-20T23:59:55Z')
  const { ownerSql, sql, app } = world.server
  const again = await world.again(dealer)
  const release = await holdOpen(
    ownerSql,
    (sql) => sql`select from holding where account = ${dealer.id} for update`,
  )
  // As many changes as an account may have under way.
  const others = Array.from({ length: 5 }, () => world.client(again, { months: 1 }))
  await somebodyWaits(sql, others.length)
  const arrival = once(app.server, 'request')
  const trial = world.client(again)
  await arrival
  // What comes later and needs no turn is answered when the trial waits for its own.
  await again.call(calls.credits.dealer)
  world.clock.set('2026-05-21T00:00:03Z')
  await release()
  await Promise.all(others)
  expect((await trial).expiry).toBe('2026-05-21T23:59:59.000Z')
})

test('a trial whose day is over before it is given is refused, and is not used up', async () => {
  const { dealer } = await world.family({ credits: 1 })
  const mac = uniqueMac()
  world.clock.set('2026-05-22T23:59:58.000Z')
  const release = await holdOpen(
    world.server.ownerSql,
    (sql) => sql`select from holding where account = ${dealer.id} for update`,
  )
  const waiting = dealer.refused(
    'invalid_input',
    calls.clients.create,
    newClient({ months: 0, stb_mac: mac }),
  )
  await somebodyWaits(world.server.sql)
  world.clock.set('2026-05-23T00:00:03.000Z')
  await release()
  expect(await waiting).toMatchObject({
    errors: { months: 'The day of this trial has ended. Please try again.' },
  })
  expect(await dealer.call(trials, { mac })).toEqual({ a_day: 2, left: 2, mac_had: false })
  const paid = await world.client(dealer, { months: 1 })
  // A trial ends at 23:59:59, and serves nobody in what is left of that second.
  world.clock.set('2026-05-23T23:59:59.500Z')
  await dealer.refused('invalid_input', calls.clients.create, newClient({ months: 0 }))
  // Taking the month back would leave such a trial.
  await dealer.refused('invalid_input', calls.clients.retrieve, { login: paid.name, credits: 1 })
  // One of two days goes on.
  const { expiry } = await dealer.call(calls.clients.create, newClient({ months: '2d' }))
  expect(expiry).toBe('2026-05-24T23:59:59.000Z')
  world.clock.set('2026-05-24T12:00:00.000Z')
})

test('whether a MAC had a trial is known before, whichever dealer gave it, and a text that is no MAC is refused', async () => {
  const { dealer } = await world.family()
  const other = (await world.family()).dealer
  const mac = uniqueMac()
  const had = async (asked: string) => (await other.call(trials, { mac: asked })).mac_had
  expect(await had(mac)).toBe(false)
  await world.client(dealer, { stb_mac: mac })
  expect([await had(mac), await had(mac.toLowerCase())]).toEqual([true, true])
  for (const text of ['00:1A:79', mac.replaceAll(':', ''), "' or 1=1 --"])
    expect(await other.refused('invalid_input', trials, { mac: text })).toHaveProperty('errors.mac')
  world.clock.pass({ days: 31 })
  expect(await had(mac)).toBe(false)
})

test('the clients on a trial of a dealer get as many other MACs in a day as it may give trials, however many it tries', async () => {
  const { dealer } = await world.family({ credits: 2 })
  const { name, mac } = await world.client(dealer, { months: '2d' })
  const { save } = calls.clients
  const [second, third, fourth] = [uniqueMac(), uniqueMac(), uniqueMac()]
  await dealer.call(save, { login: name, o_mac: mac, stb_mac: second })
  await dealer.call(save, { login: name, o_mac: second, stb_mac: third })
  const { errors } = await dealer.refused('trials_used_up', save, {
    login: name,
    o_mac: third,
    stb_mac: fourth,
  })
  expect(errors).toHaveProperty('stb_mac')
  expect((await dealer.call(trials, { mac: fourth })).mac_had).toBe(false)
  world.clock.pass({ days: 1 })
  await dealer.call(save, { login: name, o_mac: third, stb_mac: fourth })
  // A client that was paid for changes its MAC as often as it likes.
  const paid = await world.client(dealer, { months: 1 })
  let before = paid.mac
  for (const next of [uniqueMac(), uniqueMac(), uniqueMac()]) {
    await dealer.call(save, { login: paid.name, o_mac: before, stb_mac: next })
    before = next
  }
})

test('another MAC of a client on a trial counts for the dealer of today, also after the client was moved away', async () => {
  const { dealer, reseller } = await world.family()
  const other = await world.child(reseller)
  const { name, mac } = await world.client(dealer, { months: '2d' })
  const [second, third] = [uniqueMac(), uniqueMac()]
  await dealer.call(calls.clients.save, { login: name, o_mac: mac, stb_mac: second })
  await dealer.call(calls.clients.save, { login: name, o_mac: second, stb_mac: third })
  await reseller.call(calls.tree.moveClients, { from: dealer.name, to: other.name, clients: [name] })
  const next = await world.client(dealer)
  const change = { login: next.name, o_mac: next.mac, stb_mac: uniqueMac() }
  await dealer.refused('trials_used_up', calls.clients.save, change)
  world.clock.pass({ days: 1 })
  const own = await world.client(dealer)
  await dealer.call(calls.clients.save, { login: own.name, o_mac: own.mac, stb_mac: uniqueMac() })
})

test('another MAC that a client on a trial gets after it was moved away counts for its new dealer alone', async () => {
  const { dealer, reseller } = await world.family()
  const other = await world.child(reseller)
  const { name, mac } = await world.client(dealer, { months: '2d' })
  await reseller.call(calls.tree.moveClients, { from: dealer.name, to: other.name, clients: [name] })
  world.clock.pass({ seconds: 1 })
  const [second, third] = [uniqueMac(), uniqueMac()]
  await other.call(calls.clients.save, { login: name, o_mac: mac, stb_mac: second })
  await other.call(calls.clients.save, { login: name, o_mac: second, stb_mac: third })
  const own = await world.client(dealer)
  await dealer.call(calls.clients.save, { login: own.name, o_mac: own.mac, stb_mac: uniqueMac() })
})

test('of changes of a MAC that come at once, no more get another one than are left today', async () => {
  const { dealer } = await world.family()
  const clients = [await world.client(dealer), await world.client(dealer)] as const
  const change = ({ name, mac }: { name: string; mac: string }, to: string) =>
    dealer.send(calls.clients.save, { login: name, o_mac: mac, stb_mac: to })
  const next = uniqueMac()
  expect((await change(clients[0], next)).status).toBe(200)
  const release = await holdOpen(
    world.server.ownerSql,
    (sql) => sql`select from holding where account = ${dealer.id} for update`,
  )
  const changes = [{ ...clients[0], mac: next }, clients[1]].map((client) => change(client, uniqueMac()))
  await somebodyWaits(world.server.sql, changes.length)
  await release()
  const answers = await Promise.all(changes)
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
})
